"""Records the loss of each step while Tunix trains."""

from tunix.sft.hooks import TrainingHooks


class LossLog(TrainingHooks):
    """Prints the loss of some steps, and keeps that of all."""

    def __init__(self, every):
        self.every = every
        self.losses = []

    def on_train_step_end(self, train_ctx, train_step, train_loss):
        self.losses.append(float(train_loss))
        if len(self.losses) % self.every == 0:
            print(f"step {len(self.losses)}: loss {self.losses[-1]:.3f}")

    def on_train_start(self, train_ctx):
        pass

    def on_train_end(self, train_ctx):
        pass

    def on_train_step_start(self, train_ctx):
        pass

    def on_eval_step_start(self, train_ctx):
        pass

    def on_eval_step_end(self, train_ctx, eval_loss):
        pass
