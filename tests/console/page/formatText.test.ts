import { expect, it } from "@effect/vitest"
import { OpenCommands } from "../../../src/console/page/OpenCommands.ts"
import type { Command } from "../../../src/console/page/decodeCommand.ts"
import { decodeCommand } from "../../../src/console/page/decodeCommand.ts"
import { splitWords } from "../../../src/console/page/splitWords.ts"
import {
  escapeInvisible,
  formatDuration,
  formatSize,
  stateText,
  stateTone,
} from "../../../src/console/page/formatText.ts"

const command = (more: object): Command => {
  const made = decodeCommand({ commandId: "c", position: 1, state: "running", line: "x", requested: 0, ...more })
  if (made === undefined) throw new Error("it is no command")
  return made
}

it("splits a line into words as a shell does, and finds the first character that needs a shell", () => {
  expect(splitWords(`git commit -m 'it''s "so"' "a \\"b\\"" c\\ d ''`)).toEqual({
    words: ["git", "commit", "-m", `its "so"`, `a "b"`, "c d", ""],
    shellCharacter: undefined,
    hasOpenQuote: false,
  })
  expect(splitWords("echo a | wc").shellCharacter).toBe("|")
  expect(splitWords("echo 'a | b' \\| \"$x\"").shellCharacter).toBe(undefined)
  expect(splitWords("echo 'a").hasOpenQuote).toBe(true)
})

it("escapes invisible characters and characters that change the direction of text", () => {
  // What the console shows to a person who decides has no text without ink.
  expect(escapeInvisible("a\u00ad\u034f\u3164\u{e0041}b\nc")).toBe("a\\u00ad\\u034f\\u3164\\u{e0041}b\nc")
  expect(escapeInvisible("rm \u202e x\u200b\x1b[2K\ty")).toBe("rm \\u202e x\\u200b\\u001b[2K\ty")
})

it("describes the state of a command in words, not by colour alone", () => {
  const states: ReadonlyArray<readonly [object, string, string]> = [
    [{ state: "waiting" }, "waiting", "open"],
    [{}, "running", "open"],
    [{ state: "exited", exitCode: 0 }, "succeeded", "good"],
    [{ state: "exited", exitCode: 3 }, "exited with 3", "bad"],
    [{ state: "exited", exitCode: 143, signal: "SIGTERM" }, "ended by SIGTERM", "bad"],
    [{ state: "faulted", reason: "Timeout" }, "timed out", "bad"],
    [{ state: "lost" }, "lost", "gone"],
    [{ state: "unreadable" }, "pruned", "gone"],
  ]
  for (const [more, text, sign] of states) {
    expect([stateText(command(more)), stateTone(command(more))]).toEqual([text, sign])
  }
  expect([formatDuration(5), formatDuration(1_500), formatDuration(119_600), formatDuration(7_260_000)]).toEqual([
    "5 ms",
    "1.5 s",
    "2 min 0 s",
    "2 h 1 min",
  ])
  expect([formatSize(1), formatSize(1_536), formatSize(20_971_520)]).toEqual(["1 B", "1.5 KiB", "20 MiB"])
})

it("takes a change for a start or an end once", () => {
  const open = new OpenCommands()
  open.replace([command({ commandId: "old" })])
  expect(open.take(command({ commandId: "old" }))).toBe(undefined)
  expect(open.take(command({ commandId: "new", state: "waiting" }))).toBe("began")
  expect(open.take(command({ commandId: "new" }))).toBe(undefined)
  expect([open.count("running"), open.count("waiting")]).toEqual([2, 0])
  expect(open.take(command({ commandId: "old", state: "exited", exitCode: 0 }))).toBe("ended")
  expect(open.take(command({ commandId: "old", state: "exited", exitCode: 0 }))).toBe(undefined)
  expect(open.take(command({ commandId: "old" }))).toBe(undefined)
  expect(open.count("running")).toBe(1)
  // An answer that was overtaken by the end does not make it run again.
  expect(open.newest(command({ commandId: "old" })).state).toBe("exited")
  expect(open.newest(command({ commandId: "new" })).state).toBe("running")
})
