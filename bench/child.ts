/** Starting a measuring process, and ending it if it does not end. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"

/** How a process ended. */
export interface Ended {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds from the start to the first byte of stdout, if there was one, and to the end. */
  readonly firstByteMs: number | undefined
  readonly ms: number
}

/** More memory than a measurement may take: the bench must not bring the machine down. */
const memoryCapKb = 6_000_000

/** Resident memory of a process in KiB; 0 where there is no /proc. */
export const rssKb = (pid: number): number => {
  try {
    return Number(
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ??
        0,
    )
  } catch {
    return 0
  }
}

/** Runs a program to its end, or to `limit` milliseconds, or to the cap on memory where `watch` says so. */
export const runChild = (
  file: string,
  args: ReadonlyArray<string>,
  limit: number,
  watch: boolean,
): Promise<Ended> =>
  new Promise((resolve) => {
    const start = performance.now()
    const child = spawn(file, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    })
    let stdout = ""
    let stderr = ""
    let firstByteMs: number | undefined
    let why = ""
    const end = (reason: string): void => {
      why = reason
      child.kill("SIGKILL")
    }
    const deadline = setTimeout(
      () => end(`not done after ${limit / 1000} s`),
      limit,
    )
    const watcher = watch
      ? setInterval(() => {
        if (rssKb(child.pid ?? 0) > memoryCapKb) {
          end(`more than ${memoryCapKb / 1e6} GB of memory`)
        }
      }, 200)
      : undefined
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      firstByteMs ??= performance.now() - start
      stdout += text
    })
    child.stderr.setEncoding("utf8").on(
      "data",
      (text: string) => (stderr = (stderr + text).slice(-4_000)),
    )
    let ended: number | undefined
    const finish = (ok: boolean): void => {
      clearTimeout(deadline)
      clearInterval(watcher)
      const ms = (ended ?? performance.now()) - start
      resolve({
        ok,
        stdout,
        stderr: why === "" ? stderr : why,
        firstByteMs,
        ms,
      })
    }
    child.once("error", (error) => {
      why = error.message
      finish(false)
    })
    // The pipes close with the exit, unless something that was left behind holds them: a second is enough for the rest.
    child.once("exit", (code) => {
      ended = performance.now()
      const late = setTimeout(finish, 1_000, code === 0)
      child.once("close", () => {
        clearTimeout(late)
        finish(code === 0)
      })
    })
  })
