/** Groups the commands of the list by their session, token or user. */
import type { Command } from "./decodeCommand.ts"
import { escapeInvisible } from "./formatText.ts"
import { StoredValue } from "./storage.ts"

const groupings = ["state", "session", "token", "user"] as const

export type Grouping = (typeof groupings)[number]

export interface CommandGroup {
  readonly key: string
  readonly name: string
}

const named = (key: string | undefined, name: string, otherwise: string): CommandGroup =>
  key === undefined ? { key: "", name: otherwise } : { key: `=${key}`, name: escapeInvisible(name) }

/** The request for which a command was made; only known tags are shown as a readable word. */
export const sessionName = ({ root }: Command): string | undefined =>
  root === undefined
    ? undefined
    : `${root.tag === "AgentRun" ? "Agent" : root.tag}: ${root.about === "" ? root.correlationId : root.about}`

export const groupOf = (command: Command, grouping: Grouping): CommandGroup => {
  const { host, requestedBy, root, user } = command
  if (grouping === "session") return named(root?.correlationId, sessionName(command) ?? "", "No session")
  if (grouping === "token") return named(requestedBy, `Token ${requestedBy}`, "No token")
  if (grouping === "user") {
    return named(user && `${user}@${host}`, `${user}${host === undefined ? "" : ` on ${host}`}`, "Unknown user")
  }
  return { key: "", name: "Earlier" }
}

export const initGrouping = (field: HTMLSelectElement, onChange: (grouping: Grouping) => void): void => {
  const stored = new StoredValue(() => localStorage, "sluice-grouping")
  const apply = (value: string | undefined): void => {
    const grouping = groupings.find((one) => one === value) ?? "state"
    field.value = grouping
    onChange(grouping)
  }
  field.addEventListener("change", () => {
    stored.set(field.value)
    apply(field.value)
  })
  apply(stored.get())
}
