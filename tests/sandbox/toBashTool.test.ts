/** A sandbox in the real bash-tool, whose tools the mock model of the AI SDK calls. */
import { generateText, stepCountIs } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { createBashTool } from "bash-tool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { Bash } from "../../src/just-bash/mod.ts"
import { Files, LocalFileSystem } from "../../src/leaves/files/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { type BashToolSandbox, toBashTool } from "../../src/sandbox/toBashTool.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { Shell } from "../../src/shell/Shell.ts"

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const called = (toolName: string, input: unknown) => ({
  content: [{ type: "tool-call" as const, toolCallId: `call of ${toolName}`, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls" as const, raw: undefined },
  usage,
  warnings: [],
})
const said = {
  content: [{ type: "text" as const, text: "Done." }],
  finishReason: { unified: "stop" as const, raw: undefined },
  usage,
  warnings: [],
}

type Given = NonNullable<NonNullable<Parameters<typeof createBashTool>[0]>["sandbox"]>

/** Outputs of the tools, in the order in which a model calls them. */
const outputs = async (sandbox: Given, destination = "/workspace"): Promise<ReadonlyArray<unknown>> => {
  const { tools } = await createBashTool({
    sandbox,
    destination,
    files: { "src/sum.ts": "export const sum = 1 - 2\n" },
  })
  const model = new MockLanguageModelV3({
    doGenerate: [
      called("bash", { command: "grep -n '1 - 2' src/sum.ts; echo problem >&2; exit 3" }),
      called("writeFile", { path: "src/deep/note.txt", content: "é\n" }),
      called("readFile", { path: "src/deep/note.txt" }),
      called("bash", { command: "sed -i 's/1 - 2/1 + 2/' src/sum.ts && cat src/sum.ts src/deep/note.txt" }),
      called("readFile", { path: "no.txt" }),
      said,
    ],
  })
  const { steps, text } = await generateText({ model, tools, stopWhen: stepCountIs(9), prompt: "Fix the sum." })
  expect(text).toBe("Done.")
  return steps.flatMap(({ content }) => content).flatMap((part) =>
    part.type === "tool-result" ? [part.output] : part.type === "tool-error" ? ["failed"] : []
  )
}

const expected = [
  { stdout: "1:export const sum = 1 - 2\n", stderr: "problem\n", exitCode: 3 },
  { success: true },
  { content: "é\n" },
  { stdout: "export const sum = 1 + 2\né\n", stderr: "", exitCode: 0 },
  "failed",
]

describe("bash-tool", () => {
  it("works in a sandbox", async () => {
    await using sandbox = await Sandbox.open()
    expect(await outputs(toBashTool(sandbox))).toEqual(expected)
    expect(await sandbox.readText("/workspace/src/sum.ts")).toContain("1 + 2")
  })

  it("accepts a Bash of the just-bash adapter unchanged", async () => {
    expect(await outputs(new Bash())).toEqual(expected)
  })

  const folder = mkdtempSync(join(tmpdir(), "sluice-bash-tool-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("works on any Shell and Files", async () => {
    const layer = Layer.merge(LocalShell.layer, LocalFileSystem.layer({ rootPath: folder }))
    const runtime = ManagedRuntime.make(layer)
    const relative = (path: string) => path.slice(folder.length + 1)
    const sandbox: BashToolSandbox = {
      executeCommand: (command) => runtime.runPromise(Shell.run(ShellExec.shell(command, { cwd: folder }))),
      readFile: (path) => runtime.runPromise(Files.readText(relative(path))),
      writeFiles: (files) =>
        runtime.runPromise(
          Effect.forEach(files, ({ content, path }) => Files.write(relative(path), content), { discard: true }),
        ),
    }
    try {
      const [first, ...others] = await outputs(sandbox, folder)
      expect(first).toMatchObject(expected[0] ?? {})
      expect(others.map((each) => typeof each)).toEqual(["object", "object", "object", "string"])
      expect(readFileSync(join(folder, "src/sum.ts"), "utf8")).toContain("1 + 2")
    } finally {
      await runtime.dispose()
    }
  })
})

describe("toBashTool", () => {
  it("returns the output and 124 of a command that takes too long", async () => {
    await using sandbox = await Sandbox.open({ timeout: "50 millis" })
    const { exitCode, stderr, stdout } = await toBashTool(sandbox).executeCommand("echo so far; sleep 60")
    expect({ exitCode, stdout }).toEqual({ exitCode: 124, stdout: "so far\n" })
    expect(stderr).toContain("ran for more than 50 ms")
  })

  it("rejects once the sandbox is closed", async () => {
    const sandbox = await Sandbox.open()
    await sandbox.close()
    await expect(toBashTool(sandbox).executeCommand("true")).rejects.toMatchObject({ reason: { _tag: "Closed" } })
  })
})
