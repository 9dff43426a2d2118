/** Makes streams of this program's own descriptors, which a script inherits: its shell is not a process. */
import type * as NodeProcess from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import type { InheritedDescriptors, ProcessRunOptions } from "../shell/ProcessLeaf.ts"
import type { ByteWriter } from "../shell/SpawnedProcess.ts"

type Process = typeof NodeProcess
type OwnStreams = Pick<ProcessRunOptions, "stdin" | "stdout" | "stderr">

const writer = (process: Process, output: "stdout" | "stderr", kind: "inherit" | "null"): ByteWriter => ({
  write: (bytes) =>
    kind === "null"
      ? Promise.resolve(true)
      : new Promise((resolve) =>
        process[output].write(bytes, (error) => resolve(error === null || error === undefined))
      ),
  end: () => Promise.resolve(),
})

const reader = ({ stdin }: Process): Stream.Stream<Uint8Array, unknown> =>
  // Unread input stays for this program.
  Stream.fromAsyncIterable<Uint8Array, unknown>(stdin.iterator({ destroyOnReturn: false }), (error) => error).pipe(
    Stream.ensuring(Effect.sync(() => stdin.pause())),
  )

export const ownStreams = ({ stderr, stdin, stdout }: InheritedDescriptors): OwnStreams => {
  const process = nodeBuiltins()?.getBuiltinModule("node:process")
  if (process === undefined) throw new Error("a script can inherit descriptors only on a runtime with node:process")
  return {
    ...(stdin === undefined ? undefined : { stdin: reader(process) }),
    ...(stdout === undefined ? undefined : { stdout: writer(process, "stdout", stdout) }),
    ...(stderr === undefined ? undefined : { stderr: writer(process, "stderr", stderr) }),
  }
}
