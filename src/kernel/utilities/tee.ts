/** Implements the `tee` utility, which copies standard input to standard output and to files. */
import { Errno } from "../Errno.ts"
import { type Program, Signal } from "../System.ts"
import { Input } from "./shared/Input.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** `tee [-aip] [FILE]...`: copies standard input to standard output and to files. Source: tee(1). */
export const tee: Program = defineUtility("tee", "a|append i|ignore-interrupts p", async (io) => {
  const { system } = io
  if (io.has("i")) system.onSignal(Signal.SIGINT, "ignore")
  // A pipe without readers is no error with -p, and does not end the others.
  if (io.has("p")) system.onSignal(Signal.SIGPIPE, "ignore")
  let targets: ReadonlyArray<readonly [fd: number, name: string]> = [
    [1, "standard output"],
    ...io.operands.map((path) => [io.openOutput(path, io.has("a")), path] as const).filter(([fd]) => fd >= 0),
  ]
  for await (const chunk of io.chunks(new Input(io, 0, "-"))) {
    for (const target of targets) {
      const written = await system.writeAll(target[0], chunk)
      if (written >= 0) continue
      // A target that cannot be written to is dropped.
      if (written !== -Errno.EPIPE || !io.has("p")) io.warn(target[1], written)
      targets = targets.filter((other) => other !== target)
    }
    if (targets.length === 0) break
  }
  for (const [fd] of targets) if (fd > 2) system.close(fd)
})
