import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"

it.live("a stream for stdin that emits no bytes is a fault, not an empty input", () =>
  Effect.gen(function* () {
    for (const [value, kind] of [["text", "string"], [["a"], "array"], [null, "null"], [7, "number"]] as const) {
      // Plain JavaScript has no types to prevent it.
      const stdin: Stream.Stream<Uint8Array> = Stream.make(JSON.parse(JSON.stringify(value)))
      const fault = yield* Effect.flip(Shell.run(ShellExec.make("cat"), { stdin }))
      expect(fault.reason).toEqual({ _tag: "InvalidRequest", field: "stdin", code: "EINVAL" })
      expect(fault.message).toBe(
        `exec: the stdin of cat must be a stream of Uint8Array, not of ${kind}: ` +
          "encode text with Stream.encodeText (EINVAL)",
      )
    }
  }).pipe(Effect.provide(LocalShell.layer)))

it.live("bytes of any kind are bytes", () =>
  Effect.gen(function* () {
    const stdin = Stream.make(Buffer.from("a"), new Uint8Array([98]), new Uint8Array(new SharedArrayBuffer(1)).fill(99))
    expect((yield* Shell.run(ShellExec.make("cat"), { stdin })).stdout).toBe("abc")
  }).pipe(Effect.provide(LocalShell.layer)))
