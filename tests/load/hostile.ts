/** Clients that mean no good, some of every kind, again and again while others are served. */
import { type RawConnection, rawConnection, rawHead } from "../support/rawConnection.ts"
import { token } from "./scale.ts"

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const body = JSON.stringify({ command: "sleep", arguments: ["600"], commandId: "hostile" })
const megabyte = new Uint8Array(1_000_000).fill(0x20)
const noise = Uint8Array.from({ length: 4_096 }, (_, index) => (index * 7_919) % 256)
const chunked = ["transfer-encoding: chunked"]

/** Sends 100 MB, as far as the server will have them. */
const pour = async (client: RawConnection, frame: (bytes: Uint8Array) => ReadonlyArray<string | Uint8Array>) => {
  for (let sent = 0; sent < 100; sent++) {
    for (const part of frame(megabyte)) {
      let taken = false
      void client.send(part).then(() => {
        taken = true
      })
      while (!taken && client.status() === undefined && !client.closed()) await pause(5)
      if (client.status() !== undefined || client.closed()) return
    }
  }
}

interface Kind {
  readonly name: string
  readonly send: (client: RawConnection) => Promise<void>
  /** What it is answered, if it is answered; nothing where it leaves before an answer could come. */
  readonly statuses: ReadonlyArray<number> | undefined
}

const half = (name: string, text: string): Kind => ({
  name: `half of ${name}`,
  send: (client) => client.send(text),
  statuses: undefined,
})

const wrong = (name: string, text: string | Uint8Array, ...statuses: ReadonlyArray<number>): Kind => ({
  name,
  send: (client) => client.send(text),
  statuses,
})

const whole = rawHead({ token, length: body.length }) + body

const kinds: ReadonlyArray<Kind> = [
  half("a request line", "POST /exec HT"),
  half("the headers", rawHead({ token }).slice(0, 60)),
  // Whole as JSON, and short of what was announced: only the end of the body says that it is a command.
  half("a body", rawHead({ token, length: body.length + 10 }) + body),
  half("the chunks", `${rawHead({ token, headers: chunked })}${body.length.toString(16)}\r\n${body}\r\n`),
  wrong("bytes without a meaning", noise, 400),
  wrong("another protocol", "EHLO me\r\nMAIL FROM:<a@b>\r\nQUIT\r\n\r\n", 400),
  wrong("a length that is no number", rawHead({ token, headers: ["content-length: many"] }) + body, 400),
  wrong("a body that is no JSON", `${rawHead({ token, length: 4_096 })}${"{".repeat(4_096)}`, 400),
  wrong("a wrong token", rawHead({ token: `${token}x`, length: body.length }) + body, 401),
  wrong("no token", (rawHead({ token, length: body.length }) + body).replace(/^authorization.*\r\n/m, ""), 401),
  wrong("an unknown route", whole.replace("/exec", "/exec/exec"), 404),
  wrong("an invalid method", whole.replace("POST", "BREW"), 400, 405),
  {
    name: "100 MB of an announced length",
    send: async (client) => {
      await client.send(rawHead({ token, length: 100_000_000 }))
      await pour(client, (bytes) => [bytes])
    },
    statuses: [413],
  },
  {
    name: "100 MB in chunks",
    send: async (client) => {
      await client.send(rawHead({ token, headers: chunked }))
      await pour(client, (bytes) => [`${bytes.length.toString(16)}\r\n`, bytes, "\r\n"])
    },
    statuses: [413],
  },
]

/** What one of them was told. */
export interface Told {
  readonly kind: string
  readonly status: number | undefined
  /** Whether that is what it should be told. */
  readonly isRight: boolean
}

const deadlineMillis = 60_000

const visit = async (port: number, { name, send, statuses }: Kind, rudely: boolean): Promise<Told> => {
  const client = await rawConnection(port)
  try {
    await send(client)
    const isAnswered = (): boolean => client.closed() || client.status() !== undefined
    const end = performance.now() + (statuses === undefined ? 300 : deadlineMillis)
    while (!isAnswered() && performance.now() < end) await pause(20)
    const status = client.status()
    const isRight = statuses === undefined
      ? status === undefined || status >= 400
      : isAnswered() && (status === undefined || statuses.includes(status))
    return { kind: name, status, isRight }
  } finally {
    if (rudely) client.socket.resetAndDestroy()
    else client.socket.destroy()
  }
}

/** Comes in waves, one client of each kind in each, until it is enough; at least once. */
export const besiege = async (port: number, isEnough: () => boolean): Promise<ReadonlyArray<Told>> => {
  const told: Array<Told> = []
  for (let wave = 0; wave === 0 || !isEnough(); wave++) {
    told.push(...await Promise.all(kinds.map((kind) => visit(port, kind, wave % 2 === 0))))
    // The others are to be served, too, on a machine of few cores.
    await pause(200)
  }
  return told
}

/** How many kinds there are: so many at least have come. */
export const kindsOfHostility = kinds.length
