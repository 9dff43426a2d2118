import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { RendezvousPipe } from "../../src/shell/RendezvousPipe.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it("rejects a write that would replace one that was not taken", async () => {
  const pipe = new RendezvousPipe()
  const first = pipe.write(bytes("first"))
  await expect(pipe.write(bytes("second"))).rejects.toThrow(/a write began before the one before it was taken/)
  const reading = Effect.runPromise(Stream.mkString(Stream.decodeText(pipe.stream)))
  expect(await first).toBe(true)
  await pipe.end()
  expect(await reading).toBe("first")
})

it("answers false to writes after the end of the reader", async () => {
  const pipe = new RendezvousPipe()
  const written = pipe.write(bytes("a"))
  pipe.withdraw()
  expect(await written).toBe(false)
  pipe.close()
  expect(await pipe.write(bytes("b"))).toBe(false)
})
