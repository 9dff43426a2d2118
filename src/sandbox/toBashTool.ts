/** Adapts a sandbox to `createBashTool` of the package bash-tool, whose tools a model of the AI SDK calls. */
import { SandboxError } from "../kernel/sandbox/SandboxError.ts"
import type { PromiseSandbox } from "./PromiseSandbox.ts"

/** The interface `Sandbox` of bash-tool 1. */
export interface BashToolSandbox {
  /** Runs a script. */
  executeCommand(
    command: string,
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly exitCode: number }>
  /** Reads a file as text. */
  readFile(path: string): Promise<string>
  /** Writes files. Missing folders on the way are made. */
  writeFiles(files: ReadonlyArray<{ readonly path: string; readonly content: string | Uint8Array }>): Promise<void>
}

/**
 * Returns a sandbox as bash-tool takes it: `createBashTool({ sandbox: toBashTool(sandbox) })`. Commands follow each
 * other in the sandbox's session. A command that exceeds the sandbox's timeout has the exit code 124, like timeout(1),
 * with the output that it had written.
 *
 * @example
 * ```ts
 * import { Sandbox, toBashTool } from "@sluice/shell/sandbox"
 *
 * await using sandbox = await Sandbox.open({ timeout: "30s" })
 * const tool = toBashTool(sandbox)
 * await tool.writeFiles([{ path: "/workspace/names.txt", content: "Grace\nAda\n" }])
 * console.log((await tool.executeCommand("cd /workspace && sort names.txt | head -n 1")).stdout) // Ada
 * ```
 *
 * @stability experimental
 */
export const toBashTool = (sandbox: PromiseSandbox): BashToolSandbox => ({
  executeCommand: async (command) => {
    try {
      const { exitCode, stderr, stdout } = await sandbox.run(command, { check: false })
      return { stdout, stderr, exitCode }
    } catch (error) {
      if (!(error instanceof SandboxError) || error.reason._tag !== "Timeout") throw error
      return { stdout: error.stdout, stderr: `${error.stderr}${error.message}\n`, exitCode: 124 }
    }
  },
  readFile: (path) => sandbox.readText(path),
  writeFiles: async (files) => {
    for (const { content, path } of files) await sandbox.writeFile(path, content)
  },
})
