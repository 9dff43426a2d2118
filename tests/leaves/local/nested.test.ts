import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { eventually, pause } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { runtime } from "./rawSpawn.ts"

const fixture = fileURLToPath(new URL("./leastPermissions.fixture.ts", import.meta.url))
const family = fileURLToPath(new URL("../../fixtures/family.sh", import.meta.url))
const members = ["child", "stubborn", "orphan"]

/** Ends a program that uses Sluice itself, by force, and tells which members of the run within live on. */
const whoSurvives = (permissions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { directory, size } = yield* workshop
    const inner = ShellExec.make("sh", [family, directory, ...members])
    const json = JSON.stringify(Schema.encodeSync(ShellExec)(inner))
    const own = runtime === "deno" ? ["run", "--no-prompt", ...permissions] : []
    const outer = ShellExec.make(process.execPath, [...own, fixture, json], { grace: "50 millis" })
    const running = yield* Effect.forkChild(Stream.runDrain(Shell.exec(outer)))
    yield* eventually("all processes run", () => members.every((member) => size(member) > 2))
    yield* Fiber.interrupt(running)
    const before = members.map(size)
    yield* pause(300)
    return members.filter((member, index) => size(member) !== before[index])
  }).pipe(Effect.scoped, Effect.provide(LocalShell.layer))

it.live.runIf(process.platform === "linux")(
  "ends nested runs, including processes that escaped from them",
  () =>
    Effect.gen(function* () {
      expect(yield* whoSurvives(["--allow-all"])).toEqual([])
    }),
)

it.live.runIf(runtime === "deno" && process.platform === "linux")(
  "needs --allow-env=SLUICE_RUN in the nested program to find escaped processes",
  () =>
    Effect.gen(function* () {
      expect(yield* whoSurvives(["--allow-run=sh", "--allow-env=SLUICE_RUN"])).toEqual([])
      expect(yield* whoSurvives(["--allow-run=sh"])).toEqual(["orphan"])
    }),
)
