import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { processesWith } from "../support/processesWith.ts"
import { workshop } from "../support/workshop.ts"
import { startSluice } from "./support.ts"

const family = fileURLToPath(new URL("../fixtures/family.sh", import.meta.url))
const members = ["child", "grandchild", "stubborn", "escapee"]
const posix = it.effect.skipIf(process.platform === "win32")

/** A command line whose command has a family, all alive. */
const withFamily = (...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { directory, size } = yield* workshop
    const running = yield* startSluice(["run", ...flags, "--", "sh", family, directory, ...members])
    yield* eventually("all processes run", () => running.stdout() === "ready\n")
    return { directory, running, dots: () => members.reduce((sum, member) => sum + size(member), 0) }
  })

for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  posix(`ends the whole tree at ${signal} before it exits with ${status}`, () =>
    Effect.gen(function* () {
      const { dots, running } = yield* withFamily("--grace", "200ms")
      running.signal(signal)
      expect(yield* running.status).toBe(status)
      const last = dots()
      expect(yield* settled(dots)).toBe(last)
      expect(running.stderr()).toBe("exec: sh was cancelled (CANCELLED)\n")
    }))
}

it.effect.runIf(process.platform === "linux")(
  "leaves no process behind when it is killed",
  () =>
    Effect.gen(function* () {
      const { directory, dots, running } = yield* withFamily("--grace", "200ms")
      running.signal("SIGKILL")
      expect(yield* running.status).toBe("SIGKILL")
      yield* eventually("all of its processes have ended", () => processesWith(directory).length === 0)
      const last = dots()
      expect(yield* settled(dots)).toBe(last)
    }),
)

posix("grants no grace at a second signal", () =>
  Effect.gen(function* () {
    const { dots, running } = yield* withFamily("--grace", "5m")
    running.signal("SIGINT")
    // The first was heard when those who obey are gone; the stubborn one has minutes.
    yield* Effect.gen(function* () {
      const before = dots()
      yield* eventually("one process still runs", () => dots() > before + 5)
    })
    running.signal("SIGINT")
    expect(yield* running.status).toBe(130)
    const last = dots()
    expect(yield* settled(dots)).toBe(last)
  }))

posix("prints the last output of a command that handles the signal", () =>
  Effect.gen(function* () {
    const script = `trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.02; done`
    const running = yield* startSluice(["run", "--json", "--", "sh", "-c", script])
    yield* eventually("it is ready", () => running.stdout().includes("ready"))
    running.signal("SIGINT")
    expect(yield* running.status).toBe(130)
    // On stderr the shell may say that its `sleep` was terminated.
    const lines = running.stdout().trimEnd().split("\n").map((line) => JSON.parse(line))
      .filter(({ stream }) => stream !== "stderr")
    expect(lines.map(({ _tag, content }) => content ?? _tag)).toEqual(["ready\n", "bye\n", "ShellFault"])
    expect(lines.at(-1)).toMatchObject({ reason: { _tag: "Cancelled" }, stdout: "ready\nbye\n" })
  }))

posix("does not wait for a reader that has stopped reading", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const script = `(${heartbeat(path("heartbeat"))}) & exec yes`
    const running = yield* startSluice(["run", "--", "sh", "-c", script])
    running.pause()
    yield* eventually("it runs", () => size("heartbeat") > 5)
    running.signal("SIGTERM")
    yield* eventually("it ends", running.hasEnded)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
    running.resume()
    // A Node whose thread is in a write can only end by the signal itself; to a shell both are 143.
    expect([143, "SIGTERM"]).toContain(yield* running.status)
  }))
