/**
 * What a command means on this machine, before it is started.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { Pinned } from "../../shell/access/LeafFiles.ts"
import type { ResolvedCommand } from "../../shell/ShellService.ts"
import { planCommand } from "./LocalCommand.ts"
import type { LocalContext } from "./LocalContext.ts"

/** The program and the directory of a command, as its plan has them; `undefined` when it would be refused. */
export const resolveCommand = (
  exec: ShellExec,
  context: LocalContext,
  pinned: Pinned | undefined,
): ResolvedCommand | undefined => {
  const planned = planCommand(exec, false, context, pinned)
  if (Result.isFailure(planned)) return undefined
  const { host } = context
  const { executable, request } = planned.success
  const directory = pinned?.directory?.file ?? request.cwd ?? host.cwd()
  return {
    // A name alone means that nobody may look; a path of which nobody may see more is as canonical as it gets.
    ...(/[/\\]/.test(executable) ? { executable: host.realPath(executable) ?? executable } : undefined),
    ...(directory === undefined ? undefined : { workingDirectory: host.realPath(directory) ?? directory }),
  }
}
