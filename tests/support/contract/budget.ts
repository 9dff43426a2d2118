import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Part, sh, whole } from "./target.ts"

/** What was kept before and after the note of what was left out. */
const partsOf = (text: string): readonly [head: string, left: number, tail: string] => {
  const [, head, left, tail] = /^([^]*)\n\[… (\d+) bytes left out …\]\n([^]*)$/.exec(text) ?? []
  if (head === undefined || tail === undefined) throw new Error(`nothing was left out of ${text.length} characters`)
  return [head, Number(left), tail]
}

const size = (text: string): number => new TextEncoder().encode(text).length

export const budget: Part = (test, { can, everyCase = false }) => {
  /** Every cut of a character, or some. */
  const step = everyCase ? 1 : can.quickStart === false ? 5 : 3

  test("keeps all that is within the budget", () =>
    Effect.gen(function* () {
      const output = yield* whole(sh("printf 12345678; printf 123 >&2", { maxOutputBytes: 8 }))
      expect(output).toMatchObject({ stdout: "12345678", stdoutBytes: 8, stdoutBytesOmitted: 0, stderr: "123" })
    }))

  test("drops the middle of output beyond the limit, and counts the dropped bytes exactly", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 50_000 }, (_, n) => `${n + 1}\n`).join("")
      const output = yield* whole(sh("seq 1 50000; seq 1 3 >&2", { maxOutputBytes: 1_001 }))
      const [head, left, tail] = partsOf(output.stdout)
      expect([head, tail]).toEqual([all.slice(0, 501), all.slice(-500)])
      expect(left).toBe(all.length - 1_001)
      expect(output).toMatchObject({ stdoutBytes: all.length, stdoutBytesOmitted: all.length - 1_001 })
      expect(output).toMatchObject({ stderr: "1\n2\n3\n", stderrBytes: 6, stderrBytesOmitted: 0 })
    }))

  test("splits no character at either cut", () =>
    Effect.gen(function* () {
      const input = "aé€😀".repeat(5_000)
      for (let maxOutputBytes = 1_000; maxOutputBytes < 1_010; maxOutputBytes += step) {
        const output = yield* whole(sh("cat", { input, maxOutputBytes }))
        const [head, left, tail] = partsOf(output.stdout)
        expect(input.startsWith(head)).toBe(true)
        expect(input.endsWith(tail)).toBe(true)
        expect(size(head) + left + size(tail)).toBe(size(input))
        expect(output.stdoutBytesOmitted).toBe(left)
        expect(left).toBeLessThan(size(input) - maxOutputBytes + 8)
      }
    }))

  test("splits no character of another encoding either", () =>
    Effect.gen(function* () {
      for (const encoding of ["utf-16le", "utf-16be"]) {
        const big = encoding === "utf-16be"
        const units = Uint16Array.from({ length: 3_001 }, (_, n) => "a😀".charCodeAt(n % 3))
        const input = new Uint8Array(units.length * 2)
        units.forEach((unit, n) => new DataView(input.buffer).setUint16(n * 2, unit, !big))
        for (let maxOutputBytes = 100; maxOutputBytes < 112; maxOutputBytes += step) {
          const { stdout, stdoutBytesOmitted } = yield* whole(sh("cat", { input, maxOutputBytes, encoding }))
          const [head, left, tail] = partsOf(stdout)
          expect(`${head}|${tail}`.isWellFormed()).toBe(true)
          expect(`${head}|${tail}`).not.toContain("\uFFFD")
          expect((head.length + tail.length) * 2 + left).toBe(input.length)
          expect(stdoutBytesOmitted).toBe(left)
        }
      }
    }))

  test("splits no character of an encoding that does not tell where one begins", () =>
    Effect.gen(function* () {
      const line = [0x93, 0xfa, 0x96, 0x7b, 0x61, 0x0a]
      const input = Uint8Array.from({ length: 6_000 }, (_, n) => line[n % 6] ?? 0)
      for (let maxOutputBytes = 100; maxOutputBytes < 112; maxOutputBytes += step) {
        const { stdout, stdoutBytesOmitted } = yield* whole(sh("cat", { input, maxOutputBytes, encoding: "shift_jis" }))
        const [head, left, tail] = partsOf(stdout)
        expect("日本a\n".repeat(1_000).startsWith(head)).toBe(true)
        expect("日本a\n".repeat(1_000).endsWith(tail)).toBe(true)
        expect(stdoutBytesOmitted).toBe(left)
      }
    }))

  test("keeps nothing with a limit of zero", () =>
    Effect.gen(function* () {
      const output = yield* whole(sh("echo hello", { maxOutputBytes: 0 }))
      expect(output).toMatchObject({ exitCode: 0, stdoutBytes: 6, stdoutBytesOmitted: 6 })
      expect(partsOf(output.stdout)).toEqual(["", 6, ""])
    }))
}
