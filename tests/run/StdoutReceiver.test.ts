import { expect, it } from "vitest"
import { StdoutReceiver } from "../../src/run/StdoutReceiver.ts"

const mebibyte = 1_048_576

it.each([true, false])("counts the kept bytes as read ahead (the reader owns its bytes: %s)", async (owns) => {
  const receiver = new StdoutReceiver(64 * mebibyte, "utf-8")
  await receiver.write(new Uint8Array(mebibyte))
  expect(receiver.stream(owns)).toBe(0)
  receiver.processExited()
  let isTaken = false
  const written = receiver.write(new Uint8Array(10)).then(() => {
    isTaken = true
  })
  await Promise.resolve()
  await Promise.resolve()
  expect(isTaken).toBe(false)
  expect((await receiver.read())?.length).toBe(mebibyte)
  expect((await receiver.read())?.length).toBe(10)
  void receiver.read()
  await written
})

it("keeps on when bytes were left out already", async () => {
  const receiver = new StdoutReceiver(10, "utf-8")
  await receiver.write(new Uint8Array(30))
  expect(receiver.stream(true)).toBeGreaterThan(0)
  expect(receiver.kept().bytes.length).toBeLessThan(30)
})
