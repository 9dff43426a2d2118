/** Calls the server's HTTP API with the token of the tab, and follows event streams with reconnection. */
import { isRecord } from "../../base/isObject.ts"
import { type Command, decodeCommand, readText } from "./decodeCommand.ts"
import { type EventStreamMessage, readEventStream } from "./readEventStream.ts"
import { StoredValue } from "./storage.ts"

export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The access token, stored for the browser tab: it survives reloads, and no other tab or later session can read it. */
export const storedToken: StoredValue = new StoredValue(() => sessionStorage, "sluice-token")

const base: string = document.querySelector<HTMLMetaElement>('meta[name="sluice-api"]')?.content ?? ""

export const apiUrl = (path: string): string => new URL(`${base}${path}`, document.baseURI).href

const refusal = async (response: Response): Promise<ApiError> => {
  const problem: unknown = await response.json().catch(() => undefined)
  const detail = isRecord(problem) ? readText(problem, "detail") ?? readText(problem, "title") : undefined
  return new ApiError(response.status, detail ?? `the server answered ${response.status}`)
}

/** Sends a request; throws {@link ApiError} for a status that is not 2xx. */
export const sendRequest = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers)
  const given = storedToken.get()
  if (given !== undefined) headers.set("authorization", `Bearer ${given}`)
  const response = await fetch(`${base}${path}`, { ...init, headers, cache: "no-store" })
  if (!response.ok) throw await refusal(response)
  return response
}

const pathOf = (id: string): string => `/commands/${encodeURIComponent(id)}`

export interface CommandPage {
  readonly commands: ReadonlyArray<Command>
  readonly next: string | undefined
  /** The id of the last change that this page includes. */
  readonly head: string
  readonly rights: Rights
}

export interface Rights {
  readonly run: boolean
  readonly cancel: boolean
  readonly approve: boolean
}

const rightsOf = (header: string | null): Rights => {
  const rights = header?.split(",").map((right) => right.trim())
  const has = (right: string): boolean => rights?.includes(right) ?? true
  return { run: has("run"), cancel: has("cancel"), approve: has("approve") }
}

/** Converts typed text to a pattern: without a `*` or `?` of its own it matches anywhere in the line. */
const patternOf = (typed: string): string =>
  /[*?]/.test(typed) ? typed : `*${typed.replace(/[[\\]/g, (c) => `\\${c}`)}*`

export interface ListQuery {
  readonly state: string
  readonly command: string
  readonly before?: string | undefined
  readonly maxCommands?: number | undefined
}

export const listCommands = async ({ before, command, maxCommands = 100, state }: ListQuery): Promise<CommandPage> => {
  const query = new URLSearchParams({ maxCommands: String(maxCommands) })
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

export const getCommand = async (id: string): Promise<Command | undefined> =>
  decodeCommand(await (await sendRequest(pathOf(id))).json())

export const cancelCommand = (id: string, force: boolean): Promise<Response> =>
  sendRequest(`${pathOf(id)}${force ? "?force" : ""}`, { method: "DELETE" })

export const startCommand = async (exec: object): Promise<string> => {
  const accepted: unknown = await (await sendRequest("/exec?detached=true", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(exec),
  })).json()
  const id = isRecord(accepted) ? readText(accepted, "commandId") : undefined
  if (id === undefined) throw new ApiError(200, "the server returned no command id")
  return id
}

export const socketUrl = (id: string): string => apiUrl(`${pathOf(id)}/terminal`).replace(/^http/, "ws")

export const requestTicket = async (id: string): Promise<ReadonlyArray<string>> => {
  const ticket: unknown = await (await sendRequest(`${pathOf(id)}/terminal`, { method: "POST" })).json()
  const protocols = isRecord(ticket) ? ticket["protocols"] : undefined
  return Array.isArray(protocols) ? protocols.map(String) : []
}

export const sendInput = (id: string, body: Uint8Array<ArrayBuffer>): Promise<Response> =>
  sendRequest(`${pathOf(id)}/input`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body })

export const sendSize = (id: string, cols: number, rows: number): Promise<Response> =>
  sendRequest(`${pathOf(id)}/resize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ cols, rows }),
  })

export const eventsPath = (id?: string): string => id === undefined ? "/commands/events" : `${pathOf(id)}/events`

export type ConnectionListener = (state: "open" | "lost") => void

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

/** Resolves when the page is visible: browsers limit connections per server, so a hidden page holds none. */
const pageVisible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = new AbortController()
    const check = (): void => {
      if (document.visibilityState === "hidden" && !signal.aborted) return
      done.abort()
      resolve()
    }
    document.addEventListener("visibilitychange", check, done)
    signal.addEventListener("abort", check, done)
    check()
  })

/** Makes a signal that aborts with another one, and when the page is hidden. */
const whileVisible = (signal: AbortSignal): AbortController => {
  const connection = new AbortController()
  const end = (): void => {
    if (document.visibilityState === "hidden" || signal.aborted) connection.abort()
  }
  document.addEventListener("visibilitychange", end, connection)
  signal.addEventListener("abort", end, connection)
  return connection
}

/** Whether retrying is useless: a 4xx error other than 429. */
export const isPermanentError = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429

/** Milliseconds to wait before the next attempt. */
export const retryDelayMillis = (tries: number): number => Math.min(10_000, 250 * 2 ** tries)

/** Reads an event stream to its end over lost connections. Throws {@link ApiError} when the server refuses. */
export const followEvents = async (
  path: string,
  after: string | undefined,
  onMessage: (message: EventStreamMessage) => Promise<void> | void,
  onConnection: ConnectionListener,
  signal: AbortSignal,
): Promise<void> => {
  let last = after
  for (let tries = 0; !signal.aborted; tries++) {
    await pageVisible(signal)
    const connection = whileVisible(signal)
    try {
      const headers = { accept: "text/event-stream", ...(last === undefined ? undefined : { "last-event-id": last }) }
      const response = await sendRequest(path, { headers, signal: connection.signal })
      onConnection("open")
      if (response.status === 204 || response.body === null) return
      for await (const message of readEventStream(response.body)) {
        await onMessage(message)
        if (message.id !== "") last = message.id
        tries = 0
      }
    } catch (error) {
      if (signal.aborted) return
      if (isPermanentError(error)) throw error
      if (!connection.signal.aborted) onConnection("lost")
    } finally {
      connection.abort()
    }
    await abortableDelay(retryDelayMillis(tries), signal)
  }
}
