/**
 * Calls the server's HTTP API: list, start, cancel and follow commands.
 *
 * @module
 */
import { type Command, decodeCommand, isRecord, readText } from "./decodeCommand.ts"
import { type EventStreamMessage, readEventStream } from "./readEventStream.ts"
import { StoredValue } from "./storage.ts"

/** The server said no. */
export class ApiError extends Error {
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
export const storedToken: StoredValue = new StoredValue(() => sessionStorage, "sluice-token")

const base: string = document.querySelector<HTMLMetaElement>('meta[name="sluice-api"]')?.content ?? ""

/** The whole address of a route. */
export const apiUrl = (path: string): string => new URL(`${base}${path}`, document.baseURI).href

const refusal = async (response: Response): Promise<ApiError> => {
  const problem: unknown = await response.json().catch(() => undefined)
  const detail = isRecord(problem) ? readText(problem, "detail") ?? readText(problem, "title") : undefined
  return new ApiError(response.status, detail ?? `the server answered ${response.status}`)
}

/** Asks; throws {@link ApiError} when the answer is not a good one. */
export const sendRequest = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers)
  const given = storedToken.get()
  if (given !== undefined) headers.set("authorization", `Bearer ${given}`)
  const response = await fetch(`${base}${path}`, { ...init, headers, cache: "no-store" })
  if (!response.ok) throw await refusal(response)
  return response
}

const pathOf = (id: string): string => `/commands/${encodeURIComponent(id)}`

/** A page of commands, and where to go on. */
export interface CommandPage {
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
export interface ListQuery {
  readonly state: string
  readonly command: string
  readonly before?: string | undefined
  readonly limit?: number | undefined
}

/** Commands, the newest first. */
export const listCommands = async ({ before, command, limit = 100, state }: ListQuery): Promise<CommandPage> => {
  const query = new URLSearchParams({ limit: String(limit) })
  if (state !== "") query.set("state", state)
  if (command !== "") query.set("command", patternOf(command))
  if (before !== undefined) query.set("before", before)
  const response = await sendRequest(`/commands?${query}`)
  const page: unknown = await response.json()
  const found = isRecord(page) && Array.isArray(page["commands"]) ? page["commands"] : []
  return {
    commands: found.flatMap((item) => decodeCommand(item) ?? []),
    next: isRecord(page) ? readText(page, "next") : undefined,
    head: (isRecord(page) ? readText(page, "head") : undefined) ?? "0",
    rights: rightsOf(response.headers.get("sluice-rights")),
  }
}

/** A command as it is now. */
export const getCommand = async (id: string): Promise<Command | undefined> =>
  decodeCommand(await (await sendRequest(pathOf(id))).json())

/** Ends a command; `force` leaves out the grace. */
export const cancelCommand = (id: string, force: boolean): Promise<Response> =>
  sendRequest(`${pathOf(id)}${force ? "?force" : ""}`, { method: "DELETE" })

/** Runs a command that goes on whoever listens; answers with its id. */
export const startCommand = async (exec: object): Promise<string> => {
  const accepted: unknown = await (await sendRequest("/exec?detached=true", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(exec),
  })).json()
  const id = isRecord(accepted) ? readText(accepted, "commandId") : undefined
  if (id === undefined) throw new ApiError(200, "the server did not say which command it runs")
  return id
}

/** Where the events of everything stand, or those of one command. */
export const eventsPath = (id?: string): string => id === undefined ? "/commands/events" : `${pathOf(id)}/events`

/** Told how a connection is doing. */
export type ConnectionListener = (state: "open" | "lost") => void

/** Waits, and no longer than until it is aborted. */
export const abortableDelay = (millis: number, signal: AbortSignal): Promise<void> =>
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
export const isPermanentError = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429

/** Milliseconds before another try, after so many. */
export const retryDelayMillis = (tries: number): number => Math.min(10_000, 250 * 2 ** tries)

/**
 * Reads an event stream to its end, over as many connections as that takes: after each that was lost it goes on behind
 * the last message, a little later each time. Throws {@link ApiError} when the server refuses it.
 */
export const followEvents = async (
  path: string,
  after: string | undefined,
  onMessage: (message: EventStreamMessage) => Promise<void> | void,
  onLink: ConnectionListener,
  signal: AbortSignal,
): Promise<void> => {
  let last = after
  for (let tries = 0; !signal.aborted; tries++) {
    await visible(signal)
    const connection = whileVisible(signal)
    try {
      const headers = { accept: "text/event-stream", ...(last === undefined ? undefined : { "last-event-id": last }) }
      const response = await sendRequest(path, { headers, signal: connection.signal })
      onLink("open")
      if (response.status === 204 || response.body === null) return
      for await (const message of readEventStream(response.body)) {
        await onMessage(message)
        if (message.id !== "") last = message.id
        tries = 0
      }
    } catch (error) {
      if (signal.aborted) return
      if (isPermanentError(error)) throw error
      if (!connection.signal.aborted) onLink("lost")
    } finally {
      connection.abort()
    }
    await abortableDelay(retryDelayMillis(tries), signal)
  }
}
