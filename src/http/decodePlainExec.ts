/** Decodes a command of plain fields, which nearly all commands are, without its Schema. */
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import { CommandId } from "../command/CommandId.ts"
import { ShellExec } from "../command/ShellExec.ts"

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Arr.isArray(value) && value.every(Predicate.isString)

const known: ReadonlySet<string> = new Set(["command", "arguments", "workingDirectory", "streamOutput", "useShell"])

/** Decodes a command of these fields alone as its Schema would, at a tenth of the cost; `undefined` for any other. */
export const decodePlainExec = (fields: Readonly<Record<string, unknown>>): ShellExec | undefined => {
  for (const name in fields) if (!known.has(name)) return undefined
  const { arguments: words = [], command, streamOutput = true, useShell = false, workingDirectory } = fields
  if (typeof command !== "string" || !isTexts(words)) return undefined
  if (typeof streamOutput !== "boolean" || typeof useShell !== "boolean") return undefined
  const own = { commandId: CommandId.make(), command, arguments: words, streamOutput, useShell }
  if (!("workingDirectory" in fields)) return new ShellExec(own, { disableChecks: true })
  return typeof workingDirectory === "string"
    ? new ShellExec({ ...own, workingDirectory }, { disableChecks: true })
    : undefined
}
