/**
 * Gives the requests of a spell ids that begin with that of its invocation, so that a journal shows what a call did.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { ShellExec } from "../command/ShellExec.ts"
import { Database } from "../database/Database.ts"
import { Files } from "../files/Files.ts"
import { Shell } from "../shell/Shell.ts"

/** Replaces `Files`, `Shell` and `Database` of a context by ones whose requests have the ids `ID/1`, `ID/2`, … */
export const correlate = <R>(context: Context.Context<R>, correlationId: string): Context.Context<R> => {
  let count = 0
  const next = (): string => `${correlationId}/${++count}`
  const renamed = (exec: ShellExec): ShellExec => ShellExec.with(exec, { commandId: next() })
  let correlated = context
  const files = Context.getOption(context, Files)
  if (Option.isSome(files)) {
    correlated = Context.add(correlated, Files, {
      ...files.value,
      request: (request, options) => files.value.request({ ...request, correlationId: next() }, options),
    })
  }
  const shell = Context.getOption(context, Shell)
  if (Option.isSome(shell)) {
    correlated = Context.add(correlated, Shell, {
      ...shell.value,
      exec: (exec, options) => shell.value.exec(renamed(exec), options),
      bytes: (exec, options) => shell.value.bytes(renamed(exec), options),
    })
  }
  const database = Context.getOption(context, Database)
  if (Option.isSome(database)) {
    correlated = Context.add(correlated, Database, {
      request: (request, options) => database.value.request({ ...request, correlationId: next() }, options),
    })
  }
  return correlated
}
