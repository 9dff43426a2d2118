import { describe, expect, it } from "@effect/vitest"
import { ShellExec, ShellFault, type ShellOutput, type ShellOutputChunk } from "@sluice/shell"
import { ComputeBranch } from "@sluice/shell/daemon"
import { maxEntryLength, type ShellOutputChunks } from "../../src/compute/ShellOutputChunks.ts"
import { isLastEvent, RunPlayer } from "../../src/compute/RunPlayer.ts"
import { RunRecorder } from "../../src/compute/RunRecorder.ts"
import { decodeEventEntry, draftEvent } from "../../src/branch/BranchDefinition.ts"
import { noHash } from "../../src/journal/Entry.ts"
import { random } from "../support/random.ts"

const exec = ShellExec.make("make", ["all"], { commandId: "c1" })
const collected = ShellExec.make("make", ["all"], { commandId: "c1", streamOutput: false })

const chunk = (seq: number, content: string, stream: "stdout" | "stderr" = "stdout"): ShellOutputChunk => ({
  _tag: "ShellOutputChunk",
  commandId: "c1",
  stream,
  content,
  timestamp: 1_000 + seq,
  seq,
})

const output: ShellOutput = {
  _tag: "ShellOutput",
  commandId: "c1",
  exitCode: 0,
  stdout: "",
  stderr: "",
  duration: 5,
  completed: 2_000,
  drain: "eof",
  executable: "/usr/bin/make",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}

/** As a journal gives it back. */
const stored = <Event extends Parameters<typeof ComputeBranch.event.encode>[0]>(event: Event) => {
  const { body, branch, correlationId, version = 1 } = draftEvent(ComputeBranch, event)
  const text: typeof body = JSON.parse(JSON.stringify(body))
  const result = decodeEventEntry(ComputeBranch, {
    position: 1,
    time: 0,
    hash: noHash,
    tag: body._tag,
    branch,
    correlationId,
    version,
    body: text,
  })
  if (result?._tag !== "Success") throw new Error("an event of Compute")
  return result.success
}

const now = (): number => 5_000

const lengthOf = (entry: ShellOutputChunks): number =>
  entry.chunks.reduce((sum, { base64, content }) => sum + (content ?? base64 ?? "").length, 0)

describe("RunRecorder and RunPlayer", () => {
  it("keep small chunks together in one entry, with their exact seq range", () => {
    const entries = new RunRecorder(exec, "text", undefined).output([chunk(0, "a\n"), chunk(1, "b\n", "stderr")], now)
    expect(entries).toEqual([{
      _tag: "ShellOutputChunks",
      commandId: "c1",
      fromSeq: 0,
      toSeq: 1,
      chunks: [
        { content: "a\n", seq: 0, stream: "stdout", timestamp: 1_000 },
        { content: "b\n", seq: 1, stream: "stderr", timestamp: 1_001 },
      ],
    }])
  })

  it("return every chunk unchanged, at any length and batching, within entries of 64 KiB", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { int, pick } = random(seed)
      const alphabet = ["x", "é", "\u{1F600}", "\n", "\ud800", "\0"]
      const chunks = Array.from(
        { length: int(1, 12) },
        (_, seq) =>
          chunk(
            seq,
            pick(alphabet).repeat(pick([0, 1, 100, 20_000, 65_536, 65_537, 200_001])),
            pick(["stdout", "stderr"]),
          ),
      )
      const recorder = new RunRecorder(exec, "text", undefined)
      const entries: Array<ShellOutputChunks> = []
      for (let at = 0; at < chunks.length;) {
        const count = int(1, 4)
        entries.push(...recorder.output(chunks.slice(at, at + count), now))
        at += count
      }
      for (const entry of entries) expect(lengthOf(entry)).toBeLessThanOrEqual(maxEntryLength)
      const player = new RunPlayer(exec)
      const played = entries.flatMap((entry) => {
        const event = stored(entry)
        return event._tag === "ShellOutputChunks" ? player.chunks(event) : []
      })
      expect(played).toEqual(chunks)
    }
  })

  it("keep the output of a command that is not streamed beside its last event, and put it back", () => {
    const whole: ShellOutput = {
      ...output,
      stdout: "é".repeat(150_000),
      stderr: "oh\n",
      stdoutBytes: 300_000,
      stderrBytes: 3,
    }
    const entries = new RunRecorder(collected, "text", undefined).end(whole)
    const last = entries.at(-1)
    expect(last).toMatchObject({ _tag: "ShellOutput", stdoutBytes: 300_000, outputEntries: 3, fromSeq: 0, toSeq: 1 })
    expect(Object.keys(last ?? {})).not.toContain("stdout")
    const player = new RunPlayer(collected)
    const played = entries.map(stored).map((event) =>
      event._tag === "ShellOutputChunks" ? player.chunks(event) : isLastEvent(event) ? player.end(event) : []
    )
    expect(played.slice(0, -1).flat()).toEqual([])
    expect(played.at(-1)).toEqual(whole)
  })

  it("put the partial output back into the fault of a streamed command: the last 64 KiB of each stream", () => {
    const chunks = [chunk(0, "x".repeat(60_000)), chunk(1, "e", "stderr"), chunk(2, "y".repeat(60_000))]
    const fault = ShellFault.because("c1", { _tag: "Timeout", kind: "total", afterMillis: 5 }, "exec: too long", {
      stdout: "x".repeat(5_536) + "y".repeat(60_000),
      stderr: "e",
      stdoutBytes: 120_000,
      stderrBytes: 1,
      stdoutBytesOmitted: 54_464,
      executable: "/usr/bin/make",
      exception: "Error: too long",
    })
    const recorder = new RunRecorder(exec, "text", undefined)
    const entries = [...recorder.output(chunks, now), ...recorder.end(fault)]
    expect(entries.at(-1)).toMatchObject({ _tag: "ShellFault", outputEntries: 2, fromSeq: 0, toSeq: 2 })
    const player = new RunPlayer(exec)
    const events = entries.map(stored)
    const played = events.flatMap((event) => event._tag === "ShellOutputChunks" ? player.chunks(event) : [])
    const [last] = events.flatMap((event) => isLastEvent(event) ? [player.end(event)] : [])
    expect(played).toEqual(chunks)
    expect(last).toEqual(fault)
  })

  it("keep bytes unchanged, even if they are not text, in entries of 64 KiB", () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 7 + (index >> 8)) & 255)
    const recorder = new RunRecorder(exec, "bytes", undefined)
    const entries = recorder.output([
      { _tag: "ShellBytes", stream: "stdout", bytes },
      { _tag: "ShellBytes", stream: "stderr", bytes: bytes.subarray(0, 10) },
    ], now)
    for (const entry of entries) expect(lengthOf(entry)).toBeLessThanOrEqual(maxEntryLength)
    const player = new RunPlayer(exec)
    const played = entries.map(stored).flatMap((event) => event._tag === "ShellOutputChunks" ? player.bytes(event) : [])
    const of = (stream: string): ReadonlyArray<number> =>
      played.filter((event) => event.stream === stream).flatMap((event) => [...event.bytes])
    expect(of("stdout")).toEqual([...bytes])
    expect(of("stderr")).toEqual([...bytes.subarray(0, 10)])
  })
})
