"""One process of the training with TRL. It reads its task from a folder, and process 0 writes the result there.

    trl_train.py FOLDER
"""

import json
import os
import pathlib
import sys
import time

import datasets
import peft
import torch
import transformers
import trl

from chat import model_turn, user_turn

# Not those of the part that reads images.
ADAPTED = r".*\.language_model\..*\.(q|k|v|o|gate|up|down)_proj"


def settings(task, processes):
    """Returns the settings of the trainer.

    The optimizer and the shapes are those of train.py: constant rate, no decay, no clipping, full length.
    """
    on_gpu = torch.cuda.is_available()
    sharding = {"fsdp": True, "fsdp_config": {"version": 2, "activation_checkpointing": True}}
    return trl.SFTConfig(
        output_dir=task["output"],
        max_steps=task["steps"],
        per_device_train_batch_size=task["batch"] // processes,
        learning_rate=task["learning_rate"],
        lr_scheduler_type="constant",
        weight_decay=0,
        max_grad_norm=0,
        max_length=task["length"],
        pad_to_multiple_of=task["length"],
        eos_token="<turn|>",  # else TRL adds <eos> to each response
        disable_tqdm=True,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=not on_gpu,
        bf16=on_gpu,
        **(sharding if on_gpu and processes > 1 else {"gradient_checkpointing": True}),
    )


def load(model):
    """Returns the model. Weights that the files do not have would be random, which is an error here."""
    loaded, report = transformers.AutoModelForCausalLM.from_pretrained(model, dtype="auto", output_loading_info=True)
    if report["missing_keys"]:
        raise RuntimeError(f"{model} has no weights for {', '.join(sorted(report['missing_keys']))}")
    return loaded


def main():
    folder = pathlib.Path(sys.argv[1])
    task = json.loads((folder / "task.json").read_text())
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    rows = [
        {"prompt": user_turn(pair["prompt"]), "completion": model_turn(pair["response"])} for pair in task["examples"]
    ]
    trainer = trl.SFTTrainer(
        model=load(task["model"]),
        processing_class=transformers.AutoTokenizer.from_pretrained(task["model"]),
        train_dataset=datasets.Dataset.from_list(rows),
        peft_config=peft.LoraConfig(r=task["rank"], lora_alpha=task["alpha"], target_modules=ADAPTED),
        args=settings(task, processes),
    )
    start = time.monotonic()
    trainer.train()
    seconds = time.monotonic() - start
    trainer.save_model(os.path.join(task["output"], "adapter"))
    if trainer.is_world_process_zero():
        tokens = task["steps"] * task["batch"] * task["length"]
        result = {
            "processes": processes,
            "train_seconds": round(seconds, 1),
            "tokens_per_second": round(tokens / seconds, 1),
            "loss": [entry["loss"] for entry in trainer.state.log_history if "loss" in entry],
        }
        (folder / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
