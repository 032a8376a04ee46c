// learn.mjs -- a step, stage by stage: what each does, and what to look at.

/** Of each stage: what it is called, what it does, the field that shows it, and whether arrows help. */
export const STAGES = {
  sort: {
    title: "Sort",
    text: "Particles are put in order of the cell they are in, so that neighbours in the water are neighbours in memory.",
    field: "ppc",
  },
  solids: {
    title: "Solids",
    text: "Solids move to where they will be at the end of the step, and the open part of every cell face is measured.",
    field: "type",
  },
  p2g: {
    title: "Particles to grid",
    text: "Each particle gives its velocity to the cell faces around it, weighted by how near they are. The grid now has the motion of the water.",
    arrows: true,
  },
  surface: {
    title: "Surface",
    text: "A level set around the particles says how far each cell is from the surface; cells inside are liquid.",
    field: "type",
  },
  channels: {
    title: "Channels",
    text: "What else the particles carry, heat and smoke and dye, goes to the cells, which may change it and give the change back.",
    field: "",
  },
  forces: {
    title: "Forces",
    text: "Gravity acts on the faces, and rough walls drag. Now the flow would squeeze the water: the divergence is not zero.",
    field: "div_before",
    arrows: true,
  },
  pressure: {
    title: "Pressure",
    text: "The pressure is found that makes the flow free of divergence, and its gradient is taken from the velocities. This is what makes water incompressible.",
    field: "p",
    arrows: true,
  },
  extrapolate: {
    title: "Extrapolate",
    text: "Velocities are carried a few cells out into the air, so that particles at the surface know where to go.",
    arrows: true,
  },
  midway: {
    title: "Middle of the step",
    text: "A gas moves its particles with the velocity half a step ahead, so that eddies that travel arrive where they should.",
    arrows: true,
  },
  g2p: {
    title: "Grid to particles",
    text: "Particles take the change of the grid's velocity (FLIP), mixed with a little of the velocity itself (PIC) to keep calm.",
    field: "",
  },
  separate: {
    title: "Separate",
    text: "Where particles have crowded together or spread out, small shifts give the water its volume back.",
    field: "ppc",
  },
  tracers: {
    title: "Tracers",
    text: "Points that show the way of the water come, where a scene asks for them, and go along with it; the water does not feel them.",
    field: "",
  },
  advect: {
    title: "Advect",
    text: "Particles move along the flow with a Runge-Kutta step, and slide along solids that they meet.",
    field: "",
  },
  emit: {
    title: "Emit",
    text: "Inflows add particles, outflows and open sides take them away.",
    field: "",
  },
  whitewater: {
    title: "Whitewater",
    text: "Foam, spray and bubbles come, move and age, where a scene asks for them; the liquid stays as it is. The step is done; time moves on.",
    field: "",
  },
};

/** Title and text of a stage; `what`, the core's line about it, serves one that has none above. */
export function wordsOf(name, what) {
  const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);
  return STAGES[name] ?? { title: sentence(name), text: `${sentence(what)}.` };
}

export class Learn {
  constructor(list, stages, whats) {
    this.items = new Map();
    for (const [k, name] of stages.entries()) {
      const { title, text } = wordsOf(name, whats[k]);
      const item = document.createElement("li"),
        head = document.createElement("b"),
        words = document.createElement("p");
      head.textContent = title;
      words.textContent = text;
      item.dataset.stage = name;
      item.append(head, words);
      list.append(item);
      this.items.set(name, item);
    }
    this.stages = stages;
  }

  /** Marks the stage that ran last, if a step is under way or just done by stages. */
  mark(name) {
    for (const [stage, item] of this.items) {
      if (stage === name) {
        item.setAttribute("aria-current", "step");
        item.scrollIntoView({ block: "nearest" });
      } else item.removeAttribute("aria-current");
    }
  }

  before(next) {
    const k = this.stages.indexOf(next);
    return this.stages[(k + this.stages.length - 1) % this.stages.length];
  }
}
