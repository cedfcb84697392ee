import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { openaiResponsesFixtures } from "./fixtures.ts";

describeDialect(openaiResponses, openaiResponsesFixtures, legalConversation());
