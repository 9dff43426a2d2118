import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ShellEvent } from "../../src/command/ShellFault.ts"
import { maxChunkLength } from "../../src/wire/ExecRequestOptions.ts"
import { start } from "./journaled.ts"
import { post, problemOf } from "./support.ts"

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(ShellEvent))

const contentsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line !== "").map((line) => decodeLine(line))
    .flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : [])

const ndjson = { accept: "application/x-ndjson" }

it("chunks output as the client requests, for every lifetime, and equally for later readers", async () => {
  const fixture = await start()
  for (const query of ["", "?disconnectGraceMillis=5000"]) {
    const command = { command: "printf", arguments: ["abcdefgh"], commandId: `c${query.length}` }
    const chunking = { kind: "size", atNewline: false, maxLength: 3 }
    const first = await fixture.ask(`/exec${query}`, post({ ...command, chunking }, ndjson))
    expect(contentsOf(await first.text())).toEqual(["abc", "def", "gh"])
    const again = await fixture.ask(`/exec${query}`, post(command, ndjson))
    expect(contentsOf(await again.text())).toEqual(["abc", "def", "gh"])
  }
})

it("limits held-back output, whatever the client requests", async () => {
  const fixture = await start()
  const script = "head -c 3000000 /dev/zero | tr '\\0' x"
  for (const chunking of [{ kind: "line", atNewline: true }, { kind: "size", atNewline: false, maxLength: 1e12 }]) {
    const response = await fixture.ask("/exec", post({ command: "sh", arguments: ["-c", script], chunking }, ndjson))
    const contents = contentsOf(await response.text())
    expect(contents.join("").length).toBe(3_000_000)
    expect(contents.length).toBeGreaterThan(1)
    // What is read at once comes on top.
    expect(Math.max(...contents.map(({ length }) => length))).toBeLessThan(2 * maxChunkLength)
  }
})

it("refuses an invalid chunking", async () => {
  const fixture = await start()
  const wrongs: ReadonlyArray<readonly [unknown, string]> = [
    ["lines", "#/chunking"],
    [{ kind: "line", atNewline: true, maxBytes: 5 }, "#/chunking/maxBytes"],
    [{ kind: "words", atNewline: true }, "#/chunking/kind"],
    [{ kind: "size", atNewline: false, maxLength: 0 }, "#/chunking/maxLength"],
    [{ kind: "size", atNewline: false, maxLength: 1.5 }, "#/chunking/maxLength"],
    [{ kind: "time", atNewline: false, flushAfterMillis: -1 }, "#/chunking/flushAfterMillis"],
  ]
  for (const [chunking, pointer] of wrongs) {
    const problem = await problemOf(await fixture.ask("/exec", post({ command: "true", chunking })))
    expect([problem.status, problem.errors?.[0]?.pointer]).toEqual([400, pointer])
  }
})
