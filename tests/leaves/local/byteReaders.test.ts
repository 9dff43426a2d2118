import { expect, it } from "@effect/vitest"
import { byobReader, webReader } from "../../../src/leaves/local/byteReaders.ts"
import type { ByteReader } from "../../../src/shell/SpawnedProcess.ts"

const endless = (byte: number): ByteReader =>
  byobReader(
    new ReadableStream({
      type: "bytes",
      pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(byte)),
    }),
  )

const read = (reader: ByteReader): Promise<Uint8Array | undefined> => new Promise((done) => reader.read(done))

it("leaves the last bytes to a consumer that reads no more, whatever other commands write", async () => {
  const first = endless(1)
  await read(first)
  await read(first)
  const last = await read(first)
  first.release()
  const second = endless(2)
  for (let count = 0; count < 4; count++) await read(second)
  second.release()
  expect(last?.length).toBeGreaterThan(4_096)
  expect(last?.every((byte) => byte === 1)).toBe(true)
})

it("reads on when a consumer has transferred the bytes", async () => {
  const reader = endless(1)
  for (let count = 0; count < 4; count++) {
    const bytes = await read(reader)
    expect(bytes?.[0]).toBe(1)
    structuredClone(bytes?.buffer, { transfer: bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : [] })
  }
  reader.release()
})

it("frees the buffers of a web stream at the next read, except kept, small and shared ones", async () => {
  const chunks = [65_536, 65_536, 100].map((size) => new Uint8Array(size))
  const shared = new Uint8Array(131_072)
  const reader = webReader(ReadableStream.from([...chunks, shared.subarray(0, 65_536)]))
  const first = await read(reader)
  expect(first?.length).toBe(65_536)
  const kept = await read(reader)
  reader.keep?.()
  for (let count = 0; count < 3; count++) await read(reader)
  expect([first?.length, kept?.length, chunks[2]?.length, shared.length]).toEqual([0, 65_536, 100, 131_072])
  if (kept !== undefined) reader.recycle?.(kept)
  expect(kept?.length).toBe(0)
})
