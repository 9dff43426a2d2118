import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses the conditions of [[ ]]", () => {
  expectTrees({
    "[[ a ]]": "[Conditional{expression:ConditionWord{word:a}}]",
    "[[ -f a ]]": "[Conditional{expression:ConditionUnary{operator:-f operand:a}}]",
    "[[ -f a && ! b || ( c ) ]]":
      "[Conditional{expression:ConditionLogical{operator:|| operands:[ConditionLogical{operator:&& operands:[ConditionUnary{operator:-f operand:a} ConditionNot{operand:ConditionWord{word:b}}]} ConditionWord{word:c}]}}]",
    "[[ a && b && c ]]":
      "[Conditional{expression:ConditionLogical{operator:&& operands:[ConditionWord{word:a} ConditionWord{word:b} ConditionWord{word:c}]}}]",
    "[[ a = b ]]": "[Conditional{expression:ConditionBinary{operator:== left:a right:b}}]",
    "[[ $a == *.[ch] ]]": "[Conditional{expression:ConditionBinary{operator:== left:$a right:*.[ch]}}]",
    '[[ a != "b"* ]]': '[Conditional{expression:ConditionBinary{operator:!= left:a right:"b"·*}}]',
    "[[ a < b ]]": "[Conditional{expression:ConditionBinary{operator:< left:a right:b}}]",
    "[[ a > b ]]": "[Conditional{expression:ConditionBinary{operator:> left:a right:b}}]",
    "[[ a -eq 1+1 ]]": "[Conditional{expression:ConditionBinary{operator:-eq left:a right:1+1}}]",
    "[[ a -nt b ]]": "[Conditional{expression:ConditionBinary{operator:-nt left:a right:b}}]",
    "[[ $a =~ ^(b|c d)+$ ]]": "[Conditional{expression:ConditionBinary{operator:=~ left:$a right:^(b|c d)+$}}]",
    "[[ a =~ b\\ c ]]": "[Conditional{expression:ConditionBinary{operator:=~ left:a right:b·\\ ·c}}]",
    '[[ a =~ "b c"|d ]]': '[Conditional{expression:ConditionBinary{operator:=~ left:a right:"b c"·|d}}]',
    "[[ a =~ b && c ]]":
      "[Conditional{expression:ConditionLogical{operator:&& operands:[ConditionBinary{operator:=~ left:a right:b} ConditionWord{word:c}]}}]",
    "[[ a == @(b|c d) ]]": "[Conditional{expression:ConditionBinary{operator:== left:a right:@(·b|c d·)}}]",
    "[[ a == !(b|+(c)) ]]": "[Conditional{expression:ConditionBinary{operator:== left:a right:!(·b|+(c)·)}}]",
    "[[\n-n a &&\nb ||\nc ]]":
      "[Conditional{expression:ConditionLogical{operator:|| operands:[ConditionLogical{operator:&& operands:[ConditionUnary{operator:-n operand:a} ConditionWord{word:b}]} ConditionWord{word:c}]}}]",
    "[[ -f a\n]]": "[Conditional{expression:ConditionUnary{operator:-f operand:a}}]",
    "[[ ( a == b\n) && c ]]":
      "[Conditional{expression:ConditionLogical{operator:&& operands:[ConditionBinary{operator:== left:a right:b} ConditionWord{word:c}]}}]",
    "[[ ! ! a ]]": "[Conditional{expression:ConditionNot{operand:ConditionNot{operand:ConditionWord{word:a}}}}]",
    "[[ -z -f ]]": "[Conditional{expression:ConditionUnary{operator:-z operand:-f}}]",
    "[[ -v a[1] ]]": "[Conditional{expression:ConditionUnary{operator:-v operand:a[1]}}]",
    "[[ a ]] >f": "[Conditional{expression:ConditionWord{word:a} redirects:[>f]}]",
    "[[ a&&b ]]":
      "[Conditional{expression:ConditionLogical{operator:&& operands:[ConditionWord{word:a} ConditionWord{word:b}]}}]",
    "[[ a]b ]]": "[Conditional{expression:ConditionWord{word:a]b}}]",
  })
})
