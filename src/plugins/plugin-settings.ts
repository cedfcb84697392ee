import type { ContextOptions } from "../context/index.ts";
import { budgetOptions } from "../core/overflow/budget-options.ts";
import {
  contextSettings,
  readSettings,
  type Settings,
  type SettingsPlace,
} from "../settings/settings.ts";

/** The settings of the person and of the project; none where they cannot be used, and why is told. */
export async function pluginSettings(
  place: SettingsPlace,
  tell: (why: unknown) => void,
): Promise<Settings> {
  try {
    return await readSettings(place);
  } catch (error) {
    tell(error);
    return {};
  }
}

/** The same as options of a context, for agents whose every request goes through one. */
export async function pluginContext(
  place: SettingsPlace,
  tell: (why: unknown) => void,
): Promise<ContextOptions> {
  const settings = await pluginSettings(place, tell);
  return { ...contextSettings(settings), ...budgetOptions(settings) };
}
