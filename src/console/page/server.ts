/**
 * The server, as the page asks it.
 *
 * @module
 */
import { type Command, commandOf, isRecord, textOf } from "./json.ts"
import { type Message, messagesOf } from "./messages.ts"
import { Kept } from "./storage.ts"

/** The server said no. */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * The token that the page was given. It is kept as long as its tab, over reloads, and no other tab sees it: whoever
 * opens the browser tomorrow has to have it anew.
 */
export const token: Kept = new Kept(() => sessionStorage, "sluice-token")

const base: string = document.querySelector<HTMLMetaElement>('meta[name="sluice-api"]')?.content ?? ""

/** The whole address of a route. */
export const addressOf = (path: string): string => new URL(`${base}${path}`, document.baseURI).href

const refusal = async (response: Response): Promise<Refused> => {
  const problem: unknown = await response.json().catch(() => undefined)
  const detail = isRecord(problem) ? textOf(problem, "detail") ?? textOf(problem, "title") : undefined
  return new Refused(response.status, detail ?? `the server answered ${response.status}`)
}

/** Asks; throws {@link Refused} when the answer is not a good one. */
export const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers)
  const given = token.get()
  if (given !== undefined) headers.set("authorization", `Bearer ${given}`)
  const response = await fetch(`${base}${path}`, { ...init, headers, cache: "no-store" })
  if (!response.ok) throw await refusal(response)
  return response
}

const pathOf = (id: string): string => `/commands/${encodeURIComponent(id)}`

/** A page of commands, and where to go on. */
export interface Commands {
  readonly commands: ReadonlyArray<Command>
  readonly next: string | undefined
  /** The id of the last change that this page knows. */
  readonly head: string
  /** What the token allows, as far as the server says it. */
  readonly rights: Rights
}

/** What the token allows beside looking. */
export interface Rights {
  readonly run: boolean
  readonly cancel: boolean
}

const rightsOf = (header: string | null): Rights => {
  const rights = header?.split(",").map((right) => right.trim())
  return { run: rights?.includes("run") ?? true, cancel: rights?.includes("cancel") ?? true }
}

/** What was typed, as a pattern: without a `*` or `?` of its own it may stand anywhere in the line. */
const patternOf = (typed: string): string =>
  /[*?]/.test(typed) ? typed : `*${typed.replace(/[[\\]/g, (c) => `\\${c}`)}*`

/** What is asked of the commands that there are. */
export interface Wanted {
  readonly state: string
  readonly command: string
  readonly before?: string | undefined
  readonly limit?: number | undefined
}

/** Commands, the newest first. */
export const list = async ({ before, command, limit = 100, state }: Wanted): Promise<Commands> => {
  const query = new URLSearchParams({ limit: String(limit) })
  if (state !== "") query.set("state", state)
  if (command !== "") query.set("command", patternOf(command))
  if (before !== undefined) query.set("before", before)
  const response = await ask(`/commands?${query}`)
  const page: unknown = await response.json()
  const found = isRecord(page) && Array.isArray(page["commands"]) ? page["commands"] : []
  return {
    commands: found.flatMap((item) => commandOf(item) ?? []),
    next: isRecord(page) ? textOf(page, "next") : undefined,
    head: (isRecord(page) ? textOf(page, "head") : undefined) ?? "0",
    rights: rightsOf(response.headers.get("sluice-rights")),
  }
}

/** A command as it is now. */
export const look = async (id: string): Promise<Command | undefined> => commandOf(await (await ask(pathOf(id))).json())

/** Ends a command; `force` leaves out the grace. */
export const cancel = (id: string, force: boolean): Promise<Response> =>
  ask(`${pathOf(id)}${force ? "?force" : ""}`, { method: "DELETE" })

/** Runs a command that goes on whoever listens; answers with its id. */
export const run = async (exec: object): Promise<string> => {
  const accepted: unknown = await (await ask("/exec?detached=true", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(exec),
  })).json()
  const id = isRecord(accepted) ? textOf(accepted, "id") : undefined
  if (id === undefined) throw new Refused(200, "the server did not say which command it runs")
  return id
}

/** Where the events of everything stand, or those of one command. */
export const eventsPath = (id?: string): string => id === undefined ? "/commands/events" : `${pathOf(id)}/events`

/** Told how a connection is doing. */
export type OnLink = (state: "open" | "lost") => void

/** Waits, and no longer than until it is aborted. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = new AbortController()
    const end = (): void => {
      clearTimeout(timer)
      done.abort()
      resolve()
    }
    const timer = setTimeout(end, millis)
    signal.addEventListener("abort", end, done)
  })

/** Resolves when somebody looks at the page: browsers open few connections to one server, and a page in the background needs none. */
const visible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = new AbortController()
    const look = (): void => {
      if (document.visibilityState === "hidden" && !signal.aborted) return
      done.abort()
      resolve()
    }
    document.addEventListener("visibilitychange", look, done)
    signal.addEventListener("abort", look, done)
    look()
  })

/** Aborts with another, and when nobody looks at the page any more. */
const whileVisible = (signal: AbortSignal): AbortController => {
  const connection = new AbortController()
  const end = (): void => {
    if (document.visibilityState === "hidden" || signal.aborted) connection.abort()
  }
  document.addEventListener("visibilitychange", end, connection)
  signal.addEventListener("abort", end, connection)
  return connection
}

/** Whether another try could not do better. */
export const isFinal = (error: unknown): boolean =>
  error instanceof Refused && error.status < 500 && error.status !== 429

/** Milliseconds before another try, after so many. */
export const pauseMillis = (tries: number): number => Math.min(10_000, 250 * 2 ** tries)

/**
 * Reads an event stream to its end, over as many connections as that takes: after each that was lost it goes on behind
 * the last message, a little later each time. Throws {@link Refused} when the server refuses it.
 */
export const follow = async (
  path: string,
  after: string | undefined,
  onMessage: (message: Message) => Promise<void> | void,
  onLink: OnLink,
  signal: AbortSignal,
): Promise<void> => {
  let last = after
  for (let tries = 0; !signal.aborted; tries++) {
    await visible(signal)
    const connection = whileVisible(signal)
    try {
      const headers = { accept: "text/event-stream", ...(last === undefined ? undefined : { "last-event-id": last }) }
      const response = await ask(path, { headers, signal: connection.signal })
      onLink("open")
      if (response.status === 204 || response.body === null) return
      for await (const message of messagesOf(response.body)) {
        await onMessage(message)
        if (message.id !== "") last = message.id
        tries = 0
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) throw error
      if (!connection.signal.aborted) onLink("lost")
    } finally {
      connection.abort()
    }
    await pause(pauseMillis(tries), signal)
  }
}
