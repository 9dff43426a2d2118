import { beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { Journal } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { bundled } from "../support/bundled.ts"
import { eventually, pause } from "../support/eventually.ts"
import { type Random, random } from "../support/random.ts"
import { workshop } from "../support/workshop.ts"

let program = ""
beforeAll(async () => {
  program = await bundled("tests/agent/agentProcess.ts")
})

const before = "Deno" in globalThis ? ["run", "-A", "--quiet"] : "Bun" in globalThis ? [] : ["--no-warnings"]

/** Runs that are killed again and again. `SLUICE_AGENT_RUNS` sets another number. */
const runs = Number(process.env["SLUICE_AGENT_RUNS"] ?? 1)

/** Runs the program; kills it after some more acts, unless `kill` is `false`. Returns whether it ended by itself. */
const attempt = (
  shop: {
    readonly directory: string
    readonly path: (name: string) => string
    readonly read: (name: string) => string
  },
  { int }: Random,
  kill: boolean,
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [...before, program, shop.path("run.db"), shop.directory], {
        stdio: ["ignore", "inherit", "inherit"],
      })
      let status: number | string | undefined
      child.on("exit", (code, signal) => void (status = signal ?? code ?? "?"))
      return { child, status: () => status }
    }),
    ({ child, status }) =>
      Effect.gen(function* () {
        const lines = () => shop.read("acts").split("\n").length
        const target = lines() + int(1, 14)
        if (kill) {
          yield* eventually("it acts", () => status() !== undefined || lines() >= target)
          yield* pause(int(0, 12))
          child.kill("SIGKILL")
        }
        yield* eventually("it ends", () => status() !== undefined)
        expect([0, "SIGKILL"]).toContain(status())
        return status() === 0
      }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL")),
  )

it.live.each(Array.from({ length: runs }, (_, index) => index + 1))(
  "a run that is killed at any moment continues, and repeats no call with effects (seed %i)",
  (seed) =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const numbers = random(seed)
      let kills = 0
      while (!(yield* attempt(shop, numbers, kills < 12))) kills += 1
      const acts = shop.read("acts").trim().split("\n").filter((line) => line.startsWith("begin act"))
      expect(new Set(acts).size).toBe(acts.length)
      const entries = yield* Effect.provide(
        Journal.read({ maxEntries: 10_000 }),
        SqliteJournal.layer({ path: shop.path("run.db"), readOnly: true }),
      )
      const of = (...tags: ReadonlyArray<string>) =>
        entries.filter(({ tag }) => tags.includes(tag)).map(({ correlationId }) => correlationId)
      const ended = of("SpellResult", "SpellFault")
      expect([ended.length, new Set(ended).size]).toEqual([30, 30])
      const answered = of("AgentToolCallResult")
      expect([answered.length, new Set(answered).size]).toEqual([30, 30])
      expect(of("ModelResponse")).toEqual(Array.from({ length: 11 }, (_, turn) => `killed/${turn + 1}`))
      const lost = entries.filter(({ body, tag }) => tag === "SpellFault" && body?.["faultKind"] === "HostLost")
      // Only what acts is lost: what reads is done again.
      expect(lost.every(({ body }) => body?.["spell"] === "act")).toBe(true)
      expect(acts.length).toBeLessThanOrEqual(20)
      expect(acts.length + lost.length).toBeGreaterThanOrEqual(20)
      console.log(
        `seed ${seed}: ${kills} kills, ${lost.length} calls lost, ${of("SpellInvocation").length - 30} done again`,
      )
      expect(kills).toBeGreaterThan(0)
    }),
)
