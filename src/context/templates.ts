import { ContextError, type Failure, failureOf } from "../core/error.ts";
import { resolveTemplate } from "../core/summary/template.ts";
import { type ContextOptions, type TemplateOption, templatesOf } from "./options.ts";
import type { CompactionTemplate, TemplateOverride } from "../core/summary/index.ts";

type Layer = TemplateOverride | string | undefined;

/** The template of one compaction, and which functions gave nothing that it could take. */
export interface ChosenTemplate {
  readonly template: CompactionTemplate;
  readonly failures: readonly Failure[];
}

/** Complains about what is no template, as far as that is known before a compaction. */
export function checkTemplates(options: ContextOptions, call?: TemplateOption): void {
  resolveTemplate([...templatesOf(options), call].map(standing));
}

/**
 * The template for a compaction of now. Each function is asked once; one that throws, or whose
 * answer does not go with what stands, is left out and told. Never throws where the options were
 * checked.
 */
export function chooseTemplate(options: ContextOptions, call?: TemplateOption): ChosenTemplate {
  const { plugins = [], conversation } = options;
  const given = [...templatesOf(options), call];
  const owners = [...plugins.map(({ name }) => `the plugin ${name}`), "the context", "this call"];
  const failures: Failure[] = [];
  let layers: readonly Layer[] = given.map(standing);
  for (const [at, one] of given.entries()) {
    if (typeof one !== "function") continue;
    try {
      const tried = layers.with(at, atOnce(one({ conversation })));
      resolveTemplate(tried);
      layers = tried;
    } catch (error) {
      const what = `The summary goes without the template of ${owners[at]}`;
      failures.push(failureOf(error, "invalid-options", what));
    }
  }
  return { template: resolveTemplate(layers), failures };
}

function standing(given: TemplateOption | undefined): Layer {
  return typeof given === "function" ? undefined : given;
}

/** A promise is refused here; nobody else would hear that it rejects. */
function atOnce(made: Layer): Layer {
  if (!(made instanceof Promise)) return made;
  made.catch(() => undefined);
  throw new ContextError("invalid-options", "It returned a promise; return the template itself.");
}
