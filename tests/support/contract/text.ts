import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Stream from "effect/Stream"
import * as Option from "effect/Option"
import { Shell, type ShellExec } from "@sluice/shell"
import { workshop } from "../workshop.ts"
import { awaitFile, faultOf, type Part, run, sh, textOf, whole } from "./target.ts"

const euro = "é€😀ß"

/** Runs a command for its bytes, which are copied: a leaf reuses its buffers. */
const bytesOf = (exec: ShellExec) =>
  Effect.gen(function* () {
    const bytes = { stdout: new Array<number>(), stderr: new Array<number>() }
    const last = yield* Shell.bytes(exec).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag === "ShellBytes") { for (const byte of event.bytes) bytes[event.stream].push(byte) }
        })
      ),
      Stream.runLast,
    )
    return { ...bytes, output: Option.getOrUndefined(last) }
  })

export const text: Part = (test, { can, everyCase = false }) => {
  test("keeps characters whole that are split across reads", () =>
    Effect.gen(function* () {
      const input = euro.repeat(40_000)
      const { chunks } = yield* run(sh("cat", { input }))
      expect(textOf(chunks)).toBe(input)
    }))

  test("decodes an incomplete character as U+FFFD", () =>
    Effect.gen(function* () {
      const { chunks, output } = yield* run(sh("printf 'a\\342\\202'; printf '\\377b' >&2"))
      expect(textOf(chunks)).toBe("a\uFFFD")
      expect(textOf(chunks, "stderr")).toBe("\uFFFDb")
      expect(output.stdoutBytes).toBe(3)
    }))

  test("emits every byte value unchanged, on both streams", () =>
    Effect.gen(function* () {
      // Some shells read an escaped `%` or backslash as part of the format.
      const values = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x25 && byte !== 0x5c)
      const escapes = values.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")
      const { output, stderr, stdout } = yield* bytesOf(sh(`printf '${escapes}'; printf '${escapes}' >&2`))
      expect(stdout).toEqual(values)
      expect(stderr).toEqual(values)
      expect(output).toMatchObject({ exitCode: 0, stdout: "", stderr: "", stdoutBytes: 254, stderrBytes: 254 })
    }))

  test("emits all bytes of outputs around the sizes of buffers and pipes", () =>
    Effect.gen(function* () {
      for (const length of [1, 4_095, 4_096, 65_535, 65_536, 65_537, 200_000]) {
        const { output, stdout } = yield* bytesOf(sh(`head -c ${length} /dev/zero | tr '\\0' x`))
        expect([stdout.length, stdout.every((byte) => byte === 0x78)]).toEqual([length, true])
        expect(output).toMatchObject({ stdoutBytes: length })
      }
    }))

  test("decodes other encodings, chunk by chunk and whole", () =>
    Effect.gen(function* () {
      const cases = [
        ["utf-16le", "h\\000\\351\\000\\075\\330\\000\\336\\n\\000", "hé😀\n"],
        ["utf-16be", "\\000h\\000\\n", "h\n"],
        ["latin1", "caf\\351\\n", "café\n"],
        ["shift_jis", "\\223\\372\\226\\173\\n", "日本\n"],
        ["euc-kr", "\\307\\321\\n", "한\n"],
      ] as const
      for (const [encoding, bytes, expected] of cases) {
        const exec = sh(`printf '${bytes}'; printf '${bytes}' >&2`, { encoding })
        const { chunks } = yield* run(exec)
        expect([encoding, textOf(chunks), textOf(chunks, "stderr")]).toEqual([encoding, expected, expected])
        const { stderr, stdout } = yield* whole(exec)
        expect([encoding, stdout, stderr]).toEqual([encoding, expected, expected])
      }
    }))

  test("refuses an unknown encoding before it starts a process", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(sh("echo never", { encoding: "klingon-8" }))
      expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field: "encoding" })
    }))

  if (!can.files) return

  test("keeps characters whole that are split across writes, and across stdout and stderr", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      const script = `printf 'a\\303'; printf 'b\\303' >&2; ${awaitFile(path("gate"))}; printf '\\251\\n'; ` +
        "printf '\\251\\n' >&2"
      const chunks = yield* Shell.exec(sh(script)).pipe(
        // The first halves have been read, and what is before them was let through for its age.
        Stream.tap(() => Effect.sync(() => void write("gate", ""))),
        Stream.filter((event) => event._tag === "ShellOutputChunk"),
        Stream.runCollect,
      )
      expect(textOf(chunks)).toBe("aé\n")
      expect(textOf(chunks, "stderr")).toBe("bé\n")
    }))

  test("emits megabytes of random bytes unchanged", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const size = everyCase ? 20_000_000 : 5_000_000
      const script = `head -c ${size} /dev/urandom > '${path("data")}'; cat '${path("data")}'; ` +
        `sha256sum < '${path("data")}' >&2`
      const hash = createHash("sha256")
      const errors: Array<Uint8Array> = []
      const last = yield* Shell.bytes(sh(script)).pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            if (event._tag !== "ShellBytes") return
            if (event.stream === "stdout") hash.update(event.bytes)
            else errors.push(event.bytes.slice())
          })
        ),
        Stream.runLast,
      )
      const digest = new TextDecoder().decode(errors[0]).split(" ")[0]
      expect(hash.digest("hex")).toBe(digest)
      expect(last).toMatchObject({ value: { _tag: "ShellOutput", exitCode: 0, stdoutBytes: size, stdout: "" } })
    }))
}
