/** A program with an isolated leaf on a folder: tells when it has run a command, and then waits, or kills itself. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Shell, ShellExec } from "../../../../mod.ts"
import { IsolatedHost } from "../../../../src/leaves/isolated/IsolatedHost.ts"
import { findHost } from "../../../../src/host/findHost.ts"
import { IsolatedShell } from "../../../../src/leaves/isolated/mod.ts"

const [folder = "", mark = "", killAfter = ""] = process.argv.slice(2)

const host = findHost()

/** Starts engines after a second, when this program has been killed. Without placeholders, whose removal would stop them too. */
const slowHost: typeof host = host === undefined || killAfter !== "before" ? host : {
  ...host,
  spawn: (request) =>
    host.spawn(
      request.args.includes("120")
        ? { ...request, file: "/bin/sh", args: ["-c", 'sleep 1; exec "$@"', "sh", request.file, ...request.args] }
        : request,
    ),
}

await Effect.gen(function* () {
  yield* Shell.run(ShellExec.make("true"))
  console.log("ready")
  if (killAfter === "") {
    return yield* Effect.callback<void>((resume) => {
      process.stdin.once("data", () => resume(Effect.void))
    })
  }
  const sleeping = Stream.runDrain(Shell.exec(ShellExec.make("sleep", ["120"])))
  yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(sleeping))
  // Not by a timer: the time that it takes to start processes is the time to be killed in.
  const until = performance.now() + (killAfter === "before" ? 300 : Number(killAfter))
  yield* Effect.callback<void>(() => {
    const check = (): void => {
      if (performance.now() >= until) process.kill(process.pid, "SIGKILL")
      else setImmediate(check)
    }
    setImmediate(check)
  })
}).pipe(
  Effect.provide(
    IsolatedShell.layerWith({ writable: killAfter === "before" ? [] : [folder], env: { HOST_MARK: mark } }),
  ),
  Effect.provideService(IsolatedHost, slowHost),
  Effect.runPromise,
)
process.exit()
