import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { workshop } from "../support/workshop.ts"
import { sluice, sluiceLine } from "./support.ts"

it.effect("closes the command's stdin when no input is given", () =>
  Effect.gen(function* () {
    expect(yield* sluice(["run", "--", "cat"], { input: "not for it" })).toEqual({ status: 0, stdout: "", stderr: "" })
  }), 30_000)

it.effect("feeds a file, or its own stdin, to the command", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const text = Array.from({ length: 50_000 }, (_, n) => `line ${n}\n`).join("")
    write("input", text)
    expect((yield* sluice(["run", "--input", path("input"), "--", "cat"])).stdout).toBe(text)
    expect((yield* sluice(["run", "--input", "-", "--", "cat"], { input: text })).stdout).toBe(text)
  }), 30_000)

it.effect.skipIf(process.platform === "win32")("feeds a file that is its stdin", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write("input", "from a file\n")
    const { stdout } = yield* sluice([
      "run",
      "--shell",
      "--",
      `${sluiceLine} run --input - -- cat < '${path("input")}'`,
    ])
    expect(stdout).toBe("from a file\n")
  }), 30_000)

it.effect("says what is wrong with an input that cannot be read, and exits with 125", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const missing = yield* sluice(["run", "--input", path("nothing"), "--", "cat"])
    expect(missing).toMatchObject({ status: 125, stdout: "" })
    expect(missing.stderr).toMatch(/^sluice: --input: .*nothing.*\n$/)
    const unreadable = yield* sluice(["run", "--input", directory, "--", "cat"])
    expect(unreadable).toMatchObject({ status: 125, stdout: "" })
    expect(unreadable.stderr).toMatch(/^sluice: .*directory.*\n$/)
  }), 30_000)

it.effect.skipIf(process.platform === "win32")(
  "does not wait for input that nobody reads any more",
  () =>
    Effect.gen(function* () {
      const { write } = yield* workshop
      // Both stay open and silent for longer than anybody would wait.
      const held = "<(echo one; exec sleep 20 2> /dev/null)"
      const script = write(
        "held.sh",
        `${sluiceLine} run --input - -- head -n 1 < ${held}; ${sluiceLine} run --input ${held} -- head -n 1`,
      )
      const { stdout } = yield* sluice(["run", "--timeout", "15s", "--", "bash", script])
      expect(stdout).toBe("one\none\n")
    }),
  60_000,
)
