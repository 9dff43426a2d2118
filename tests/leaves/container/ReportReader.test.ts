import { expect, it } from "@effect/vitest"
import type { ByteReader } from "@sluice/shell/leaf"
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { ReportReader } from "../../../src/leaves/container/ReportReader.ts"
import { reportEnd, reportStart } from "../../../src/leaves/container/sessionScript.ts"

/** A pipe that reuses one buffer, as pipes of runtimes may. */
const pipeOf = (pieces: ReadonlyArray<Uint8Array>): ByteReader => {
  const left = [...pieces]
  const buffer = new Uint8Array(1_000)
  return {
    read: (done) => {
      const next = left.shift()
      if (next === undefined) return done(undefined)
      buffer.fill(0x3f)
      buffer.set(next)
      done(buffer.subarray(0, next.length))
    },
    release: () => {},
  }
}

const cut = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))

it.each([0, 65_536])("separates reports from bytes wherever a read ends; %i bytes ahead", (maxAheadBytes) => {
  const report = (text: string) => `${reportStart}abc ${text}${reportEnd}`
  const whole = encodeUtf8(
    `one${report("S 1 /bin/a b")}two\x1e\x15x${reportStart}other Z${reportEnd}${report("X 0 E 0 0")}\x1e\x15\x0e\x02ab`,
  )
  for (let size = 1; size <= whole.length; size++) {
    const reports: Array<string> = []
    const reader = new ReportReader(pipeOf(cut(whole, size)), maxAheadBytes, {
      onReport: (text) => void reports.push(text),
    })
    reader.begin("abc")
    let text = ""
    let ended = false
    while (!ended) {
      reader.read((bytes) => {
        if (bytes === undefined) ended = true
        else text += new TextDecoder().decode(bytes)
      })
    }
    expect([size, reports, text]).toEqual([
      size,
      ["S 1 /bin/a b", "X 0 E 0 0"],
      `onetwo\x1e\x15x${reportStart}other Z${reportEnd}\x1e\x15\x0e\x02ab`,
    ])
  }
})

it("keeps the bytes after the end of a run for the next one", () => {
  const end = `${reportStart}a Z${reportEnd}`
  const reader: ReportReader = new ReportReader(pipeOf([encodeUtf8(`first${end}second`)]), 0, {
    onReport: () => reader.end(),
  })
  reader.begin("a")
  const seen: Array<string | undefined> = []
  const read = () => reader.read((bytes) => void seen.push(bytes && new TextDecoder().decode(bytes)))
  read()
  expect(seen).toEqual(["first"])
})
