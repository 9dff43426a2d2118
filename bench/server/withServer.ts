/** A server of this runtime in a process of its own, while it is used. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import process from "node:process"

/** Requests that the clients of the bench send. */
export const token = "bench"

/** A server that runs. */
export interface RunningServer {
  readonly url: string
  readonly pid: number
}

const lineOf = (stream: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    stream.on("data", (bytes) => {
      text += String(bytes)
      if (text.includes("\n")) resolve(text.trim())
    })
    stream.on("end", () => reject(new Error("the server ended")))
  })

/** Starts `serve.ts` with these words, and kills it afterwards. */
export const withServer = async <A>(
  words: ReadonlyArray<string>,
  use: (server: RunningServer) => Promise<A>,
): Promise<A> => {
  const launch = typeof Deno === "undefined" ? [] : ["run", "--allow-all", "--quiet"]
  const child = spawn(process.execPath, [
    ...launch,
    join(import.meta.dirname, "serve.ts"),
    ...words,
  ], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  try {
    return await use({
      url: `http://127.0.0.1:${await lineOf(child.stdout)}/`,
      pid: child.pid ?? 0,
    })
  } finally {
    child.kill("SIGKILL")
  }
}
