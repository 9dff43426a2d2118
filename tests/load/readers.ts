/**
 * Many readers of one command, in a process of their own: `readers.ts JOB` prints how far they are, four times a second,
 * as a line of JSON. A line on its stdin lets the slow ones read the rest as fast as they can.
 */
import { createHash, type Hash } from "node:crypto"
import { get, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import process from "node:process"
import { type Crowd, decodeCrowdJob } from "./Crowd.ts"

const { id, slow, token, url, vanishing, whole } = decodeCrowdJob(process.argv[2] ?? "")
const { hostname, port } = new URL(url)
const path = `/commands/${id}/events`
const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" }

const digests: Record<string, number> = {}
const broken: Array<string> = []
const slowBytes: Array<number> = []
let begun = 0
let vanished = 0

/** Takes the digest of all messages but comments, which come when they come. */
class Messages {
  readonly #hash: Hash = createHash("sha256")
  #rest = ""

  push(text: string): void {
    const messages = (this.#rest + text).split("\n\n")
    this.#rest = messages.pop() ?? ""
    for (const message of messages) {
      if (!message.startsWith(":")) this.#hash.update(`${message}\n\n`)
    }
  }

  end(): void {
    if (this.#rest !== "") broken.push("half a message at the end")
    const digest = this.#hash.digest("hex")
    digests[digest] = (digests[digest] ?? 0) + 1
  }
}

const open = (onResponse: (response: IncomingMessage) => void): void => {
  const request = get({ hostname, port, path, headers, agent: false }, (response) => {
    if (response.statusCode !== 200) broken.push(`status ${response.statusCode}`)
    response.once("data", () => begun++)
    onResponse(response)
  })
  request.on("error", (error) => broken.push(error.message))
}

const readWhole = (): void =>
  open((response) => {
    const messages = new Messages()
    response.setEncoding("latin1")
    response.on("data", (text: string) => messages.push(text))
    response.on("error", (error) => broken.push(error.message))
    response.on("end", () => messages.end())
  })

/** Goes away when it has read so much: every other one without a word. */
const vanish = (bytes: number, rudely: boolean): void =>
  open((response) => {
    let read = 0
    response.on("error", () => {})
    response.on("data", (part: Buffer) => {
      read += part.length
      if (read < bytes || response.destroyed) return
      vanished++
      if (rudely) response.socket.resetAndDestroy()
      response.destroy()
    })
  })

/** What stands in the chunks of an answer. */
const dechunked = (answer: Buffer): string => {
  let at = answer.indexOf("\r\n\r\n") + 4
  let text = ""
  for (;;) {
    const end = answer.indexOf("\r\n", at)
    const length = end < 0 ? NaN : Number.parseInt(answer.toString("latin1", at, end), 16)
    if (length === 0) return text
    // NaN, too: the answer was cut off.
    if (!(end + 2 + length <= answer.length)) throw new Error("half a chunk at the end")
    text += answer.toString("latin1", end + 2, end + 2 + length)
    at = end + 2 + length + 2
  }
}

const hurries: Array<() => void> = []
let hurried = false

/** Takes one byte a second from the system: what it does not take waits there, and then at the server. */
const readSlowly = (index: number): void => {
  const pieces: Array<Buffer> = []
  const byte = new Uint8Array(1)
  const many = new Uint8Array(65_536)
  let timer: NodeJS.Timeout | undefined
  slowBytes[index] = 0
  const socket = connect({
    host: hostname,
    port: Number(port),
    onread: {
      buffer: () => hurried ? many : byte,
      callback: (size, bytes) => {
        pieces.push(Buffer.from(bytes.subarray(0, size)))
        if (slowBytes[index] === 0) begun++
        slowBytes[index] = (slowBytes[index] ?? 0) + size
        if (hurried) return true
        timer = setTimeout(() => socket.resume(), 1_000)
        return false
      },
    },
  })
  hurries.push(() => {
    clearTimeout(timer)
    socket.resume()
  })
  socket.on("error", (error) => broken.push(`slow: ${error.message}`))
  socket.on("end", () => {
    try {
      const messages = new Messages()
      messages.push(dechunked(Buffer.concat(pieces)))
      messages.end()
    } catch (error) {
      broken.push(`slow: ${error}`)
    }
  })
  const lines = { host: hostname, connection: "close", ...headers }
  socket.write([`GET ${path} HTTP/1.1`, ...Object.entries(lines).map((pair) => pair.join(": ")), "", ""].join("\r\n"))
}

for (let index = 0; index < slow; index++) readSlowly(index)
for (let index = 0; index < vanishing; index++) vanish(1_000 + 10_000 * index, index % 2 === 0)
for (let index = 0; index < whole; index++) readWhole()

setInterval(() => {
  const crowd: Crowd = { begun, digests, vanished, broken, slowest: slow === 0 ? 0 : Math.min(...slowBytes) }
  process.stdout.write(`${JSON.stringify(crowd)}\n`)
}, 250)
process.stdin.on("data", () => {
  hurried = true
  for (const hurry of hurries) hurry()
})
