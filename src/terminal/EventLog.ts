/** Keeps the newest events of a session within a length, and wakes readers that wait for more. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"
import type { ShellOutputChunk } from "../command/ShellEvent.ts"
import type { TerminalResized } from "./TerminalEvent.ts"

export type LoggedEvent = ShellOutputChunk | TerminalResized

/** A reader that holds back the command. */
export interface LogReader {
  next: number
}

/** Maximum number of events that are kept: short ones take much more memory than their text. */
const maxEvents = 16_384

const lengthOf = (event: LoggedEvent): number => event._tag === "ShellOutputChunk" ? event.content.length : 16

/** The events, by an index that counts from 0 for the first event of the session. */
export class EventLog {
  readonly #maxLength: number
  readonly #events: Array<LoggedEvent> = []
  readonly #readers: Set<LogReader> = new Set()
  readonly #waiting: Set<() => void> = new Set()
  #first = 0
  #length = 0
  #closed = false
  #version = 0

  /** `maxLength`: of the texts of all kept events, in UTF-16 units; the newest event is always kept. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** The index of the oldest event that is kept. */
  get first(): number {
    return this.#first
  }

  get end(): number {
    return this.#first + this.#events.length
  }

  get closed(): boolean {
    return this.#closed
  }

  get oldest(): LoggedEvent | undefined {
    return this.#events[0]
  }

  from(index: number): ReadonlyArray<LoggedEvent> {
    return this.#events.slice(Math.max(0, index - this.#first))
  }

  /**
   * Adds an event. Output waits while all room is taken by events that a reader with back-pressure has not read. A new
   * size does not wait, because such a reader may have requested it.
   */
  add(event: LoggedEvent): Effect.Effect<void> {
    return Effect.suspend(() => {
      const version = this.#version
      const hasRoom = this.#makeRoom(lengthOf(event))
      if (!hasRoom && event._tag === "ShellOutputChunk") return Effect.andThen(this.changed(version), this.add(event))
      this.#events.push(event)
      this.#length += lengthOf(event)
      this.notify()
      return Effect.void
    })
  }

  /** Counts the changes. */
  get version(): number {
    return this.#version
  }

  /** Waits for a change since a version: an event, a step of a reader, the end. */
  changed(since: number): Effect.Effect<void> {
    return callbackLater((resume) => {
      if (this.#version !== since) return resume(Effect.void)
      const wake = (): void => resume(Effect.void)
      this.#waiting.add(wake)
      return Effect.sync(() => this.#waiting.delete(wake))
    })
  }

  /** Wakes all readers that wait for a change. */
  notify(): void {
    this.#version++
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  /** Lets a reader hold back the command until the result is called. */
  hold(reader: LogReader): () => void {
    this.#readers.add(reader)
    return () => {
      this.#readers.delete(reader)
      this.notify()
    }
  }

  /** No event follows. */
  close(): void {
    this.#closed = true
    this.notify()
  }

  /**
   * Drops the oldest events to make room for one of a given length; returns `false` if a reader still needs the next
   * one to drop.
   */
  #makeRoom(length: number): boolean {
    while (this.#events.length > 0 && this.#isOver(this.#length + length, this.#events.length + 1)) {
      if (!this.#closed && this.#isHeld()) return false
      const dropped = this.#events.shift()
      this.#length -= dropped === undefined ? 0 : lengthOf(dropped)
      this.#first++
    }
    return true
  }

  #isOver(length: number, count: number): boolean {
    return length > this.#maxLength || count > maxEvents
  }

  #isHeld(): boolean {
    for (const { next } of this.#readers) if (next <= this.#first) return true
    return false
  }
}
