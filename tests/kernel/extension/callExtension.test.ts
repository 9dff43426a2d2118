import { expect, it } from "vitest"
import { type Extension, Sandbox } from "@sluice/shell/sandbox"

type Handler = Extension.Extension

const run = async (mytool: Handler, script: string) => {
  await using sandbox = await Sandbox.open({ extensions: { mytool } })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
  return { exitCode, stderr, stdout }
}

it("is a filter in a pipe, in one line", async () => {
  const mytool: Handler = async (_, __, { readStdin }) => (await readStdin()).toUpperCase()
  expect(await run(mytool, "printf 'b\\na\\n' | mytool | sort")).toEqual({ exitCode: 0, stderr: "", stdout: "A\nB\n" })
})

it("bounds the text of stdin", async () => {
  const mytool: Handler = (_, __, { readStdin }) => readStdin({ maxBytes: 1_000 })
  expect(await run(mytool, "yes | mytool; echo ${PIPESTATUS[*]}")).toEqual({
    exitCode: 0,
    stderr: "mytool: stdin is longer than 1000 bytes\n",
    stdout: "141 1\n",
  })
})

it("writes to both outputs before it knows its exit code", async () => {
  const mytool: Handler = async (_, __, { stderr, stdout }) => {
    await stdout.write("one\n")
    await stderr.write("warning\n")
    await stdout.write(new Uint8Array([50, 10]))
    return { exitCode: 5, stdout: "last\n" }
  }
  expect(await run(mytool, "mytool")).toEqual({ exitCode: 5, stderr: "warning\n", stdout: "one\n2\nlast\n" })
})

it("is slowed down by its reader while it writes, and ended when the reader leaves", async () => {
  let written = 0
  const mytool: Handler = async (_, __, { stdout }) => {
    for (;;) {
      await stdout.write(new Uint8Array(65_536).fill(10))
      written++
    }
  }
  expect((await run(mytool, "mytool | head -n 1; echo ${PIPESTATUS[*]}")).stdout).toBe("\n141 0\n")
  expect(written).toBeLessThan(6)
})

it("shows the message of an error, and never its stack", async () => {
  const mytool: Handler = () => {
    throw new TypeError("no such user")
  }
  expect(await run(mytool, "mytool")).toEqual({ exitCode: 1, stderr: "mytool: no such user\n", stdout: "" })
})
