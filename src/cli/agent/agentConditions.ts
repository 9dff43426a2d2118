/** Describes the place and the approval mode of an agent run, and how they change when it is resumed. */
import type { AgentRun } from "../../agent/AgentRunBranch.ts"
import { canonicalPath } from "../ownFileRules.ts"
import { approveMode } from "./agentApproval.ts"
import type { AgentFlags, ApproveMode } from "./agentSpec.ts"

type PlaceFlags = Pick<AgentFlags, "cwd" | "sandbox" | "url">

/** Describes a run for people who read its entry. */
export interface AgentConditions {
  readonly place: string
  readonly approval: ApproveMode
}

/** An address without the parts that may be secret: user and password, query and fragment. */
const publicUrl = (url: string): string => {
  if (!URL.canParse(url)) return "a server"
  const { host, pathname, protocol } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

const placeOf = ({ cwd, sandbox, url }: PlaceFlags): string => {
  if (url !== undefined) return publicUrl(url)
  if (sandbox && cwd === undefined) return "a sandbox"
  const folder = canonicalPath(cwd ?? ".") ?? cwd ?? "."
  return sandbox ? `a sandbox with ${folder}` : folder
}

/** The conditions that the flags select. */
export const agentConditions = (flags: PlaceFlags & Pick<AgentFlags, "approve">): AgentConditions => ({
  place: placeOf(flags),
  approval: approveMode(flags),
})

/**
 * Describes the changes since the run last worked; `undefined` if there are none, or the old conditions are unknown.
 */
export const describeChange = (
  { approval, place }: Pick<AgentRun, "approval" | "place">,
  now: AgentConditions,
): string | undefined => {
  const changes = [
    ...(place === undefined || place === now.place
      ? []
      : [`the run worked in ${place}, and now works in ${now.place}`]),
    ...(approval === undefined || approval === now.approval
      ? []
      : [`the run had --approve ${approval}, and now has --approve ${now.approval}`]),
  ]
  return changes.length === 0 ? undefined : `--resume: ${changes.join("; ")}`
}
