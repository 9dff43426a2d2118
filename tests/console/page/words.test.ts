import { expect, it } from "@effect/vitest"
import { OpenCommands } from "../../../src/console/page/OpenCommands.ts"
import type { Command } from "../../../src/console/page/json.ts"
import { commandOf } from "../../../src/console/page/json.ts"
import { plain } from "../../../src/console/page/plain.ts"
import { wordsOf } from "../../../src/console/page/wordsOf.ts"
import { mood, size, span, spelled, stateText } from "../../../src/console/page/words.ts"

const command = (more: object): Command => {
  const made = commandOf({ commandId: "c", position: 1, state: "running", line: "x", requested: 0, ...more })
  if (made === undefined) throw new Error("it is no command")
  return made
}

it("parts a line into words as a shell would, and says where only a shell could go on", () => {
  expect(wordsOf(`git commit -m 'it''s "so"' "a \\"b\\"" c\\ d ''`)).toEqual({
    words: ["git", "commit", "-m", `its "so"`, `a "b"`, "c d", ""],
    sign: undefined,
    open: false,
  })
  expect(wordsOf("echo a | wc").sign).toBe("|")
  expect(wordsOf("echo 'a | b' \\| \"$x\"").sign).toBe(undefined)
  expect(wordsOf("echo 'a").open).toBe(true)
})

it("shows text without what is meant for a terminal", () => {
  expect(plain("\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ a\tb\nc\x00")).toBe(
    "red link a\tb\nc",
  )
})

it("spells out what would hide in a command, or turn its order around", () => {
  expect(spelled("rm \u202e x\u200b\x1b[2K\ty")).toBe("rm \\u202e x\\u200b\\u001b[2K\ty")
})

it("says how a command is by words, not by its colour alone", () => {
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
    expect([stateText(command(more)), mood(command(more))]).toEqual([text, sign])
  }
  expect([span(5), span(1_500), span(119_600), span(7_260_000)]).toEqual(["5 ms", "1.5 s", "2 min 0 s", "2 h 1 min"])
  expect([size(1), size(1_536), size(20_971_520)]).toEqual(["1 B", "1.5 KiB", "20 MiB"])
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
