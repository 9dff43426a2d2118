/** Every way to read a command obeys every option about its input, its outputs and its end, or refuses it. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type LazyCommand, OptionError, OutputError, run, type RunOptions } from "../../src/run/mod.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-reading-"))
  await writeFile(join(folder, "in"), "typed\n")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const latin1 = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")

const readLines = async (command: LazyCommand): Promise<string> => {
  let text = ""
  for await (const line of command.lines()) text += `${line}\n`
  return text
}

const readEvents = async (command: LazyCommand): Promise<string> => {
  let text = ""
  for await (const event of command.events()) if (event._tag === "ShellOutputChunk") text += event.content
  return text
}

/** Each reads the whole stdout, decoded; raw ones show each byte as a letter. */
const methods: Readonly<Record<string, (command: LazyCommand) => Promise<string>>> = {
  await: async (command) => (await command).stdout,
  text: async (command) => `${await command.text()}\n`,
  bytes: async (command) => latin1(await command.bytes()),
  lines: readLines,
  stream: async (command) => latin1(new Uint8Array(await new Response(command.stream()).arrayBuffer())),
  events: readEvents,
  "pipe from it": async (command) => (await command.pipe(run("cat"), { pipefail: true })).stdout,
}
const piped: typeof methods = {
  "pipe into it": async (command) => (await run("echo", ["ignored"]).pipe(command)).stdout,
}

const sh = (script: string, options: RunOptions): LazyCommand => run("sh", ["-c", script], { cwd: folder, ...options })

const pieces = async function* () {
  yield "ty"
  yield new TextEncoder().encode("ped\n")
}

const inputs: Readonly<Record<string, () => RunOptions>> = {
  "input: text": () => ({ input: "typed\n" }),
  "input: bytes": () => ({ input: new TextEncoder().encode("typed\n") }),
  "input: an iterable": () => ({ input: pieces() }),
  "input: a Web stream": () => ({ input: new Blob(["typed\n"]).stream() }),
  "stdin: a file": () => ({ stdin: { file: "in" } }),
}

describe.each(Object.entries(methods))("%s", (name, read) => {
  it.each(Object.entries(inputs))("reads with %s", async (_, options) => {
    expect(await read(sh("cat", options()))).toBe("typed\n")
  })

  it("reads with stdin: pipe, and with none", async () => {
    const command = sh("cat", { stdin: "pipe" })
    if (name.startsWith("pipe")) {
      const joined = command.pipe(run("cat"))
      const writer = joined.stdin.getWriter()
      await writer.write("typed\n")
      await writer.close()
      expect(await joined.text()).toBe("typed")
    } else {
      const reading = read(command)
      const writer = command.stdin.getWriter()
      await writer.write("typed\n")
      await writer.close()
      expect(await reading).toBe("typed\n")
    }
    expect(await read(sh("cat; echo", { stdin: "ignore" }))).toBe("\n")
  })

  it("rejects where the file of stdin cannot be opened", async () => {
    await expect(read(sh("cat", { stdin: { file: "missing" } }))).rejects.toMatchObject({
      _tag: "ShellFault",
      reason: { field: "stdin", code: "ENOENT" },
    })
  })

  it("writes stdout to a file, or refuses the option", async () => {
    const file = `${name} out`
    const reading = read(sh("echo written", { stdout: { file } }))
    if (name === "await") {
      expect(await reading).toBe("")
      expect(await readFile(join(folder, file), "utf8")).toBe("written\n")
    } else {
      await expect(reading).rejects.toBeInstanceOf(OptionError)
      await expect(reading).rejects.toMatchObject({ option: "stdout" })
    }
  })

  it("writes stderr to a file, or refuses the option", async () => {
    const file = `${name} err`
    const reading = read(sh("echo written >&2; echo out", { stderr: { file } }))
    if (name === "events") return await expect(reading).rejects.toMatchObject({ _tag: "OptionError", option: "stderr" })
    expect(await reading).toBe("out\n")
    expect(await readFile(join(folder, file), "utf8")).toBe("written\n")
  })

  it("merges stderr into stdout", async () => {
    expect(await read(sh("echo a; echo b >&2; echo c", { mergeStreams: true }))).toBe("a\nb\nc\n")
  })

  it("cuts at maxOutputBytes what it keeps", async () => {
    const reading = read(sh("printf '%0999d' 7", { maxOutputBytes: 100 }))
    if (name === "bytes" || name === "lines") {
      await expect(reading).rejects.toBeInstanceOf(OutputError)
      await expect(reading).rejects.toMatchObject({
        reason: { _tag: name === "bytes" ? "Incomplete" : "LineTooLong" },
      })
    } else {
      const isKept = name === "await" || name === "text"
      expect((await reading).length < 300).toBe(isKept)
    }
  })
})

describe.each(Object.entries({ ...methods, ...piped }))("%s", (name, read) => {
  it("decodes by the encoding", async () => {
    // Stages of a pipeline hand on bytes, and this one's are not of UTF-8.
    const expected = name === "pipe from it" ? "\ufffd\n" : "\u00e9\n"
    expect(await read(sh("cat >/dev/null; printf '\\351\\n'", { encoding: "latin1" }))).toBe(expected)
  })

  it("prints the command that is verbose, once", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {})
    try {
      expect(await read(sh("echo said", { verbose: true }))).toBe("said\n")
      expect(print.mock.calls).toEqual([["$ sh -c 'echo said'"]])
    } finally {
      print.mockRestore()
    }
  })

  it("ends the command at its timeout, and by its signal", async () => {
    await expect(read(sh("sleep 60", { timeout: "50ms", grace: 0 }))).rejects.toMatchObject({
      reason: { _tag: "Timeout", afterMillis: 50 },
    })
    const command = sh("sleep 60", { signal: AbortSignal.abort() })
    await expect(read(command)).rejects.toMatchObject({ reason: { _tag: "Cancelled" } })
  })

  it("checks the exit code", async () => {
    await expect(read(sh("echo out; exit 3", {}))).rejects.toMatchObject({ _tag: "ShellExitError", exitCode: 3 })
    // The check of a pipeline is that of its last command.
    if (name === "pipe from it") return
    expect(await read(sh("echo out; exit 3", { check: [3] }))).toBe("out\n")
    expect(await read(sh("echo out; exit 3", { check: false }))).toBe("out\n")
  })
})

describe.runIf(process.platform === "linux")("terminal", () => {
  it.each([
    ...Object.entries(inputs),
    ["stdout", () => ({ stdout: { file: "t" } })] as const,
    [
      "stderr",
      (): RunOptions => ({ stderr: "inherit" }),
    ] as const,
  ])("refuses %s", async (_, options) => {
    const given = options()
    await expect(sh("cat", given).terminal()).rejects.toMatchObject({
      _tag: "OptionError",
      option: Object.keys(given)[0],
    })
  })

  it("obeys verbose, the encoding, the timeout and maxOutputBytes", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {})
    try {
      const options: RunOptions = { verbose: true, encoding: "latin1", maxOutputBytes: 20, timeout: "10s" }
      const session = await sh("seq 100; printf '\\351'", options).terminal()
      expect(await session.exited).toMatchObject({ exitCode: 0 })
      expect(session.output).toMatch(/^[^]{19}\u00e9$/)
      expect(print.mock.calls).toEqual([[expect.stringContaining("$ sh -c 'seq 100")]])
    } finally {
      print.mockRestore()
    }
    const late = await sh("sleep 60", { timeout: "50ms", grace: 0 }).terminal()
    await expect(late.exited).rejects.toMatchObject({ reason: { _tag: "Timeout" } })
  })
})
