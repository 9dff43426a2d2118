import { expect, it } from "vitest"
import { StreamDecoder } from "../../src/shell/StreamDecoder.ts"
import { forSeeds, randomText } from "../support/random.ts"

const encoder = new TextEncoder()

it("decodes any bytes like a streaming TextDecoder, wherever they are split", () => {
  forSeeds(60, (random) => {
    const encoding = random.pick(["utf-8", "utf-8", "utf-8", "utf-16le", "shift_jis"])
    const decoder = new StreamDecoder(encoding)
    const whole = new TextDecoder(encoding, { ignoreBOM: true })
    const text = randomText(random, 300)
    let [decoded, expected] = ["", ""]
    // Large pieces and small ones; half of them with bytes that are no text at their start and their end.
    for (let n = random.int(1, 8); n > 0; n--) {
      const bytes = encoder.encode(text.repeat(random.pick([0, 1, 40, 80])))
      const start = random.int(0, Math.min(4, bytes.length))
      const piece = bytes.slice(start, bytes.length - random.int(0, Math.min(4, bytes.length - start)))
      for (const at of [0, 1, piece.length - 3, piece.length - 2, piece.length - 1]) {
        if (at in piece && random.next() < 0.2) piece[at] = random.int(0x80, 0xff)
      }
      decoded += decoder.push(piece)
      expected += whole.decode(piece, { stream: true })
    }
    expect(decoded + decoder.end()).toBe(expected + whole.decode())
  })
})
