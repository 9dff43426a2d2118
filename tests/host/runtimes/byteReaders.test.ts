import { expect, it } from "@effect/vitest"
import { Readable } from "node:stream"
import { byobReader, nodeReader, webReader } from "../../../src/host/runtimes/byteReaders.ts"
import type { ByteReader } from "../../../src/shell/SpawnedProcess.ts"

const endless = (byte: number): ByteReader =>
  byobReader(
    new ReadableStream({
      type: "bytes",
      pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(byte)),
    }),
  )

const read = (reader: ByteReader): Promise<Uint8Array | undefined> => new Promise((done) => reader.read(done))

it("keeps the last bytes intact for a paused consumer while other commands write", async () => {
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

it.each<readonly [string, (next: () => Uint8Array | undefined) => ByteReader]>([
  ["web", (next) => webReader(new ReadableStream({ pull: (controller) => controller.enqueue(next()) }))],
  ["Node", (next) =>
    nodeReader(
      new Readable({
        highWaterMark: 1,
        read() {
          this.push(next())
        },
      }),
    )],
  ["late Node", (next) =>
    nodeReader(
      new Readable({
        highWaterMark: 1,
        read() {
          setTimeout(() => this.push(next()))
        },
      }),
    )],
])("frees a large chunk of a %s stream at the next read, and none that is small, shared or kept", async (_, make) => {
  const shared = new Uint8Array(80_000)
  const chunks = [new Uint8Array(40_000), new Uint8Array(100), shared.subarray(40_000), new Uint8Array(40_000)]
  const lengths = chunks.map(({ length }) => length)
  const reader = make(() => chunks.shift())
  const seen: Array<Uint8Array | undefined> = []
  const copies: Array<number | undefined> = []
  for (const length of lengths) {
    const bytes = await read(reader)
    expect(bytes?.length).toBe(length)
    seen.push(bytes)
    copies.push(bytes?.slice(0, 7).buffer.byteLength)
  }
  // A copy is what the standard says of `slice`: a Buffer would give a view of what is freed.
  expect(copies).toEqual([7, 7, 7, 7])
  reader.keep?.()
  void read(reader)
  reader.release()
  expect(seen.map((bytes) => bytes?.length)).toEqual([0, 100, 40_000, 40_000])
  const kept = seen.at(-1)
  if (kept !== undefined) reader.recycle?.(kept)
  expect(kept?.length).toBe(0)
})
