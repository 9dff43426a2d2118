/** Output that comes while the shell is being started, before the session has the process. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel } from "../../../src/kernel/mod.ts"
import { Session } from "../../../src/kernel/sandbox/Session.ts"
import { utilities } from "../../../src/kernel/utilities/Utilities.ts"

/** A session whose kernel already writes output when it starts a script. */
const eager = (): Session => {
  const kernel = Kernel.make({
    fileSystem: VirtualFileSystem.make({ mounts: { "/": memory() }, now: () => 0n }),
    programs: utilities,
  })
  const start = kernel.start.bind(kernel)
  kernel.start = (request) => {
    request.fds[1]?.write(new TextEncoder().encode("too much"))
    return start(request)
  }
  return new Session(kernel, {
    env: [],
    cwd: "/",
    timeoutMillis: 10_000,
    maxOutputBytes: 1_000,
    isClosed: () => false,
    scheduler: undefined,
  })
}

it("ends a script whose output exceeds its limit at the start", async () => {
  const result = await Effect.runPromise(eager().run("while :; do :; done", { maxOutputBytes: 3 }))
  expect([result.truncated, result.signal, result.stdout]).toEqual([true, "SIGXFSZ", "too"])
})
