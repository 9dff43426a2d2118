import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { workshop } from "../support/workshop.ts"
import { sluice, sluiceLine } from "./support.ts"

it.effect("passes stdin on if it is a pipe or a file, not a device", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const piped = yield* sluice(["run", "--", "cat"], { input: "hi\n" })
    expect(piped).toEqual({ status: 0, stdout: "hi\n", stderr: "" })
    write("input", "from a file\n")
    const file = `< '${path("input")}'`
    const script = `${sluiceLine} run cat ${file}; ${sluiceLine} run cat < /dev/null; ${sluiceLine} run -i cat ${file}`
    const { stdout } = yield* sluice(["run", "--shell", "--", script])
    expect(stdout).toBe("from a file\nfrom a file\n")
  }))

it.effect("gives a command no terminal to read from, except with -i", () =>
  Effect.gen(function* () {
    const script = `${sluiceLine} run -- cat; echo typed | ${sluiceLine} run -- cat`
    // script(1) has a terminal as stdin of what it runs.
    const { stdout } = yield* sluice(["run", "--", "script", "-qec", script, "/dev/null"])
    expect(stdout.replaceAll("\r", "")).toContain("typed\n")
  }))

it.effect.skipIf(process.platform === "win32")(
  "leaves input that a command does not read to the next one",
  () =>
    Effect.gen(function* () {
      const loop = `printf '1\\n2\\n3\\n' | while read -r x; do ${sluiceLine} run -- true; echo "$x"; done`
      const { stdout } = yield* sluice(["run", "--shell", "--", loop])
      expect(stdout).toBe("1\n2\n3\n")
    }),
)

it.effect("refuses two sources of input", () =>
  Effect.gen(function* () {
    const { status, stderr } = yield* sluice(["run", "-i", "--input", "x", "--", "cat"])
    expect({ status, stderr }).toEqual({
      status: 125,
      stderr: "sluice: -i and --input are mutually exclusive\n",
    })
  }))

it.effect("reads nothing of stdin when another input is given", () =>
  Effect.gen(function* () {
    const run = sluice(["run", "--input", "/dev/null", "--", "cat"], { input: "not for it" })
    expect(yield* run).toEqual({ status: 0, stdout: "", stderr: "" })
  }))

it.effect("feeds a file, or its own stdin, to the command", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const text = Array.from({ length: 50_000 }, (_, n) => `line ${n}\n`).join("")
    write("input", text)
    expect((yield* sluice(["run", "--input", path("input"), "--", "cat"])).stdout).toBe(text)
    expect((yield* sluice(["run", "--input", "-", "--", "cat"], { input: text })).stdout).toBe(text)
  }))

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
  }))

it.effect("reports an input that cannot be read, and exits with 125", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    const missing = yield* sluice(["run", "--input", path("nothing"), "--", "cat"])
    expect(missing).toMatchObject({ status: 125, stdout: "" })
    expect(missing.stderr).toMatch(/^sluice: --input: .*nothing.*\n$/)
    const unreadable = yield* sluice(["run", "--input", directory, "--", "cat"])
    expect(unreadable).toMatchObject({ status: 125, stdout: "" })
    expect(unreadable.stderr).toMatch(/^exec: .*directory.*\n$/)
  }))

it.effect.skipIf(process.platform === "win32")(
  "does not wait for input after its reader has ended",
  () =>
    Effect.gen(function* () {
      const { write } = yield* workshop
      // Both stay open and silent for longer than any wait.
      const held = "<(echo one; exec sleep 20 2> /dev/null)"
      const script = write(
        "held.sh",
        `${sluiceLine} run --input - -- head -n 1 < ${held}; ${sluiceLine} run --input ${held} -- head -n 1`,
      )
      const { stdout } = yield* sluice(["run", "--timeout", "15s", "--", "bash", script])
      expect(stdout).toBe("one\none\n")
    }),
)
