/** Runs a real command behind the walls of an engine, and explains why they cannot be built. */
import { errorMessage } from "../../base/errorMessage.ts"
import type { Host } from "../../host/Host.ts"
import type { Walls } from "./enclose.ts"
import { runToEnd } from "../../host/runToEnd.ts"

/** Linux: the words that the command prints about the interfaces and processes that it sees. */
const linuxScript =
  "(: > /sluice-probe) 2>/dev/null && echo writable; grep -c : /proc/net/dev; set -- /proc/[0-9]*; echo $#"

const writable = "files of the host can be written"

const linuxProblem = (stdout: string): string | undefined => {
  if (stdout.startsWith("writable")) return writable
  const [interfaces, processes] = stdout.trim().split("\n")
  if (interfaces !== "1") return "the network of the host is visible"
  return processes === undefined || !/^\d+$/.test(processes) || Number(processes) > 8
    ? "processes of the host are visible"
    : undefined
}

/** macOS: `$0` is a file that this program could write. */
const macScript = '(: > "$0") 2>/dev/null && echo writable; echo up'

const macProblem = (stdout: string): string | undefined => stdout === "up\n" ? undefined : writable

/** Runs the command, and returns the reason why the walls cannot be built. `directory`: the folder of the leaf's own files. */
export const probe = async (
  host: Host,
  walls: Walls,
  shell: string,
  directory: string,
): Promise<string | undefined> => {
  const isMac = host.os === "darwin"
  const args = ["-c", isMac ? macScript : linuxScript, `${directory}/probe`]
  try {
    const { args: words, env, file } = walls.build(
      {
        file: shell,
        args,
        env: { clear: true, set: { PATH: "/usr/bin:/bin" } },
        cwd: "/",
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
        detached: false,
        verbatim: false,
      },
      "/",
      "/dev/null",
      undefined,
    )
    const ended = await runToEnd(host, { file, args: words, env: { clear: true, set: env }, cwd: "/" })
    if (ended.exitCode !== 0) return ended.stderr.trim() || `exit code ${ended.exitCode}`
    return isMac ? macProblem(ended.stdout) : linuxProblem(ended.stdout)
  } catch (error) {
    return errorMessage(error)
  }
}
