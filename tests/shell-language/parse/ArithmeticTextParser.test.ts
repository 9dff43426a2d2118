import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses arithmetic within scripts", () => {
  expectTrees({
    "$((1 + 2 * 3))": "[cmd(ArithmeticExpansion{text:(1 + (2 * 3))})]",
    "$(( $a + 1 ))": "[cmd(ArithmeticExpansion{text:($a + 1)})]",
    "$(( $a$b ))": "[cmd(ArithmeticExpansion{text:? ·$a·$b· ?})]",
    "$(( 1$a ))": "[cmd(ArithmeticExpansion{text:? 1·$a· ?})]",
    "$(( a[i + 1] ))": "[cmd(ArithmeticExpansion{text:a[i + 1=(i + 1)]})]",
    "$(( a[$i] ))": "[cmd(ArithmeticExpansion{text:a[$i=$i]})]",
    '$(("1" + `a`))': '[cmd(ArithmeticExpansion{text:("1" + CommandSubstitution{backquoted:true script:[cmd(a)]})})]',
    "$((1 +))": "[cmd(ArithmeticExpansion{text:?1 +?})]",
    "$(())": "[cmd(ArithmeticExpansion{text:0})]",
    "$((`a`))": "[cmd(ArithmeticExpansion{text:CommandSubstitution{backquoted:true script:[cmd(a)]}})]",
    "((a += 2))": "[ArithmeticCommand{text:(a += 2)}]",
    "$((a ? b : c))": "[cmd(ArithmeticExpansion{text:(a ? b : c)})]",
    "$(( (1) ))": "[cmd(ArithmeticExpansion{text:1})]",
  })
})
