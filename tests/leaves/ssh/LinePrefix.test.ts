import { expect, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import { StreamReader } from "../../../src/leaves/ssh/channelPipes.ts"
import { LinePrefix } from "../../../src/leaves/ssh/LinePrefix.ts"

it("a line without an end is not collected beyond its bound", async () => {
  const stream = new PassThrough()
  const lines = new LinePrefix(new StreamReader(stream), Infinity, 100)
  const next = () => new Promise((resolve) => lines.next(resolve))
  stream.write(`${"a\n".repeat(100)}${"b".repeat(101)}`)
  for (let count = 0; count < 100; count++) expect(await next()).toBe("a")
  expect(await next()).toBe(undefined)
})

it("lines of any number are read in a loop: a server does not choose the depth of the stack", async () => {
  const stream = new PassThrough()
  const lines = new LinePrefix(new StreamReader(stream), Infinity, 100)
  stream.write("\n".repeat(20_000))
  stream.end("last\n")
  const count = await new Promise<number>((resolve) => {
    let read = 0
    const next = (): void => lines.next((line) => line === undefined ? resolve(read) : (read++, next()))
    next()
  })
  expect(count).toBe(20_001)
})
