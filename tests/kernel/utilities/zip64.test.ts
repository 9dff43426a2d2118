/** Reads zip archives whose numbers need more than 32 or 16 bits. Their central directories are built here. */
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import { concatBytes, encodeUtf8, viewOf } from "../../../src/base/bytes.ts"

const max32 = 0xffffffff

/** Little-endian numbers of 2, 4 and 8 bytes. */
const fields = (...values: ReadonlyArray<readonly [size: 2 | 4 | 8, value: number]>): Uint8Array =>
  concatBytes(values.map(([size, value]) => {
    const bytes = new Uint8Array(size)
    const view = viewOf(bytes)
    if (size === 2) view.setUint16(0, value, true)
    else if (size === 4) view.setUint32(0, value, true)
    else view.setBigUint64(0, BigInt(value), true)
    return bytes
  }))

interface Member {
  readonly name: string
  readonly size: number
  readonly offset: number
}

const hello = encodeUtf8("hello")
const helloCrc = 0x3610a686

const localHeader = (name: string): Uint8Array =>
  concatBytes([
    fields([4, 0x04034b50], [2, 10], [2, 0], [2, 0], [2, 0], [2, 0x21], [4, helloCrc], [4, 5], [4, 5]),
    fields([2, name.length], [2, 0]),
    encodeUtf8(name),
    hello,
  ])

/** A header of the central directory; a number that needs more than 32 bits is in the Zip64 field. */
const centralHeader = ({ name, offset, size }: Member): Uint8Array => {
  const small = (value: number): number => Math.min(value, max32)
  const large = [size, size, offset].filter((value) => value >= max32)
  const extra = large.length === 0 ? 0 : 4 + large.length * 8
  return concatBytes([
    fields([4, 0x02014b50], [2, 0x031e], [2, 45], [2, 0], [2, 0], [2, 0], [2, 0x21], [4, helloCrc]),
    fields([4, small(size)], [4, small(size)], [2, name.length], [2, extra], [2, 0], [2, 0], [2, 0]),
    fields([4, 0], [4, small(offset)]),
    encodeUtf8(name),
    ...(extra === 0 ? [] : [fields([2, 1], [2, large.length * 8], ...large.map((value) => [8, value] as const))]),
  ])
}

/** The central directory, the Zip64 records, and an end record that refers to them. */
const directory = (members: ReadonlyArray<Member>, start: number): Uint8Array => {
  const headers = concatBytes(members.map(centralHeader))
  const count = members.length
  return concatBytes([
    headers,
    fields([4, 0x06064b50], [8, 44], [2, 0x031e], [2, 45], [4, 0], [4, 0], [8, count], [8, count]),
    fields([8, headers.length], [8, start]),
    fields([4, 0x07064b50], [4, 0], [8, start + headers.length], [4, 1]),
    fields([4, 0x06054b50], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, max32], [4, max32], [2, 0]),
  ])
}

const runOn = async (archive: Uint8Array, script: string): Promise<string> => {
  await using sandbox = await Sandbox.open({ env: { LC_ALL: "C" }, files: { "t.zip": archive } })
  const { stderr, stdout } = await sandbox.run(script, { check: false })
  return stdout + stderr
}

it("lists and extracts more than 65,535 members", async () => {
  const local = localHeader("m0")
  const members = Array.from({ length: 70_000 }, (_, at) => ({ name: `m${at}`, size: 5, offset: 0 }))
  const archive = concatBytes([local, directory(members, local.length)])
  expect(await runOn(archive, "unzip -Z1 t.zip | tail -n 1; unzip -p t.zip m69999; unzip -l t.zip | tail -n 1"))
    .toMatch(/^m69999\nhello +350000 +70000 files\n$/)
})

it("lists a member of more than 4 GiB", async () => {
  const archive = directory([{ name: "big", size: 5_000_000_000, offset: 0 }], 0)
  expect(await runOn(archive, "unzip -l t.zip | tail -n 1")).toMatch(/^ *5000000000 +1 file\n$/)
})

it("extracts a member beyond 4 GiB of the archive, of which only the ends are there", async () => {
  const start = 5 * 2 ** 30
  const local = localHeader("far")
  const files = { local, rest: directory([{ name: "far", size: 5, offset: start }], start + local.length) }
  await using sandbox = await Sandbox.open({ files })
  const { stdout } = await sandbox.run(
    `dd if=local of=t.zip bs=64K seek=${start} oflag=seek_bytes conv=notrunc status=none; cat rest >> t.zip; unzip -p t.zip far`,
  )
  expect(stdout).toBe("hello")
})

it.each([
  ["locator", -42],
  ["end record", -98],
])("refuses an archive whose Zip64 %s is damaged", async (_, at) => {
  const archive = directory([{ name: "big", size: 5, offset: 0 }], 0)
  archive[archive.length + at] = 0
  expect(await runOn(archive, "unzip -l t.zip > /dev/null")).toMatch(/central directory is damaged/)
})
