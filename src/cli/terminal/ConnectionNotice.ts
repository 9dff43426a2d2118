/** Tells the user when a terminal's connection is lost and restored, except for short losses and over full-screen programs. */
const lostMillis = 2_000

export class ConnectionNotice {
  readonly #say: (text: string) => void
  readonly #mayShow: () => boolean
  readonly #delayMillis: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTold = false

  /** `mayShow`: whether a line can be printed now without breaking a screen. */
  constructor(say: (text: string) => void, mayShow: () => boolean, delayMillis: number = lostMillis) {
    this.#say = say
    this.#mayShow = mayShow
    this.#delayMillis = delayMillis
  }

  /** Takes the next state; a connection that is retried is lost several times. */
  change(state: "open" | "lost"): void {
    if (state === "lost") {
      if (!this.#isTold) this.#timer ??= setTimeout(() => this.#tell(), this.#delayMillis)
      return
    }
    this.close()
    if (this.#isTold) this.#say("connected again")
    this.#isTold = false
  }

  /** Suppresses the notice of a loss that was not announced yet. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #tell(): void {
    this.#timer = undefined
    if (!this.#mayShow()) return
    this.#isTold = true
    this.#say("no connection to the server; trying again")
  }
}
