/** Adds the portable shell to a leaf: its scripts run in the kernel's shell, their programs on the leaf. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ProcessRunOptions, ProcessRuns } from "../shell/ProcessLeaf.ts"
import { isPortable, type KnowsPortableShell, knowsPortableShell } from "../shell/portableShell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { ScriptTimes } from "./makeScriptRuns.ts"
import type { ScriptMachine } from "./ScriptPlace.ts"

/** Wraps the service of a leaf. `machine`: that of the leaf, if its files are those of this program. */
export const withPortableScripts = <Service extends ShellService>(
  shell: Service,
  times: ScriptTimes,
  machine?: ScriptMachine,
): Service & KnowsPortableShell => {
  let runs: Promise<ProcessRuns> | undefined
  // Imported on demand, because the kernel is larger than the leaf.
  const load = (): Promise<ProcessRuns> =>
    runs ??= import("./makePortableRuns.ts").then(({ makePortableRuns }) => makePortableRuns(shell, times, machine))
  const script = <A>(run: (runs: ProcessRuns) => Stream.Stream<A, ShellFault>): Stream.Stream<A, ShellFault> =>
    Stream.unwrap(Effect.map(Effect.promise(load), run))
  const { resolve } = shell
  return {
    ...shell,
    get capabilities() {
      return shell.capabilities
    },
    ...(resolve === undefined ? undefined : {
      resolve: (exec: ShellExec, options: Parameters<typeof resolve>[1]) =>
        isPortable(exec) ? Effect.undefined : resolve(exec, options),
    }),
    exec: (exec: ShellExec, options?: ProcessRunOptions) =>
      isPortable(exec) ? script((each) => each.exec(exec, options)) : shell.exec(exec, options),
    bytes: (exec: ShellExec, options?: ProcessRunOptions) =>
      isPortable(exec) ? script((each) => each.bytes(exec, options)) : shell.bytes(exec, options),
    [knowsPortableShell]: true,
  }
}
