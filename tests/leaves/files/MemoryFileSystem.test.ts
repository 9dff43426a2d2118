import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Files, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { filesContract } from "../../support/filesContract.ts"

filesContract("MemoryFileSystem", () => MemoryFileSystem.layer, { manyFiles: 2_100 })

it("refuses content beyond its limit, and keeps the old one", () => {
  const program = Effect.gen(function* () {
    yield* Files.write("a", "12345678")
    const fault = yield* Effect.flip(Files.write("a", new Uint8Array(100)))
    expect(fault).toMatchObject({ faultKind: "DiskFull", code: "ENOSPC" })
    expect(yield* Files.readText("a")).toBe("12345678")
  })
  return Effect.runPromise(Effect.provide(program, MemoryFileSystem.layerWith({ maxBytes: 50 })))
})

it("refuses options that it does not have", async () => {
  // @ts-expect-error it is called maxBytes
  const error = await Effect.runPromise(Effect.flip(MemoryFileSystem.make({ maxByte: 1 })))
  expect(error.message).toBe('MemoryFileSystem: unknown option "maxByte"; did you mean "maxBytes"?')
})
