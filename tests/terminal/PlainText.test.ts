import { expect, it } from "@effect/vitest"
import { PlainText } from "../../src/terminal/PlainText.ts"

it("removes escape sequences and control characters wherever a piece ends", () => {
  const output =
    "a\x1b[1;31mred\x1b[0m\x1b]8;;http://x\x1b\\link\x1b]0;title\x07 \x1b(Bq\x1bPdata\x1b\\\u009b2Kz\tend\r\n\x07\x08"
  for (let cut = 0; cut <= output.length; cut++) {
    const plain = new PlainText()
    expect(plain.push(output.slice(0, cut)) + plain.push(output.slice(cut))).toBe("aredlink qz\tend\n")
  }
})
