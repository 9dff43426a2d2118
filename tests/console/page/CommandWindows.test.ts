import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { ShellOutputChunk } from "../../../src/command/ShellEvent.ts"
import { CommandWindows } from "../../../src/console/page/CommandWindows.ts"
import type { Policy } from "../../../src/window/Policy.ts"
import { parsePolicy } from "../../../src/window/parsePolicy.ts"

const policy = (text: string): Policy => Result.getOrThrow(parsePolicy(text))

const chunk = (content: string, timestamp: number, stream: "stdout" | "stderr" = "stdout"): ShellOutputChunk => ({
  _tag: "ShellOutputChunk",
  commandId: "c",
  stream,
  content,
  timestamp,
  seq: timestamp,
})

const contents = (windows: CommandWindows): ReadonlyArray<string> => windows.windows.map(({ content }) => content)

it("cuts a past run by the times at which it ran", () => {
  const windows = new CommandWindows(policy("silence:100"))
  for (const [content, time] of [["a\n", 0], ["b\n", 99], ["c\n", 199], ["d\n", 300]] as const) {
    windows.push(chunk(content, time))
  }
  expect(contents(windows)).toEqual(["a\nb\n", "c\n"])
  expect(windows.pendingLength).toBe(2)
  windows.settle(399)
  expect(windows.total).toBe(2)
  windows.settle(400)
  expect(contents(windows)).toEqual(["a\nb\n", "c\n", "d\n"])
  expect(windows.pendingLength).toBe(0)
})

it("cuts again by another policy, and describes each window", () => {
  const windows = new CommandWindows(policy("final"))
  windows.push(chunk("a\nb\nc", 10))
  windows.push(chunk("é\n", 30))
  windows.push(chunk("oops\n", 31, "stderr"))
  expect(windows.total).toBe(0)
  windows.end()
  expect(contents(windows)).toEqual(["a\nb\ncé\n", "oops\n"])
  windows.recut(policy("lines:2"))
  expect(windows.windows).toEqual([
    { number: 1, stream: "stdout", from: 10, to: 10, bytes: 4, lines: 2, content: "a\nb\n", isLonger: false },
    { number: 2, stream: "stdout", from: 10, to: 30, bytes: 4, lines: 1, content: "cé\n", isLonger: false },
    { number: 3, stream: "stderr", from: 31, to: 31, bytes: 5, lines: 1, content: "oops\n", isLonger: false },
  ])
})

it("keeps the last windows, and of a long one its start, however much there is", () => {
  const windows = new CommandWindows(policy("lines:1"))
  windows.push(chunk("line\n".repeat(1_000), 1))
  expect([windows.total, windows.windows.length, windows.windows[0]?.number]).toEqual([1_000, 200, 801])
  windows.push(chunk("x".repeat(10_000) + "\n", 2))
  const last = windows.windows.at(-1)
  expect([last?.bytes, last?.content.length, last?.isLonger]).toEqual([10_001, 4_096, true])
})

it("reports that the oldest output was dropped when it cuts again", () => {
  const windows = new CommandWindows(policy("lines:1"))
  const megabyte = `${"x".repeat(1_048_575)}\n`
  for (let at = 0; at < 7; at++) windows.push(chunk(megabyte, at))
  windows.recut(policy("lines:1"))
  expect([windows.isPartial, windows.total]).toEqual([false, 7])
  for (let at = 7; at < 12; at++) windows.push(chunk(megabyte, at))
  windows.recut(policy("lines:1"))
  expect(windows.isPartial).toBe(true)
  expect(windows.total).toBeLessThan(12)
})
