"""Trains a small convolutional network on scikit-learn's 8×8 digit images."""

import json
import os
import pathlib

import keras
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split


def build_model(learning_rate):
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(32, 3, activation="relu", padding="same"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(64, 3, activation="relu", padding="same"),
            keras.layers.Flatten(),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    return model


def train(epochs, learning_rate):
    keras.utils.set_random_seed(7)
    images, labels = load_digits(return_X_y=True)
    images = (images.reshape(-1, 8, 8, 1) / 16).astype("float32")
    train_x, test_x, train_y, test_y = train_test_split(
        images, labels, test_size=0.2, random_state=7, stratify=labels
    )
    print(f"training on {len(train_x)} images, testing on {len(test_x)}")

    model = build_model(learning_rate)
    history = model.fit(
        train_x,
        train_y,
        epochs=epochs,
        batch_size=64,
        validation_data=(test_x, test_y),
        verbose=0,
        callbacks=[
            keras.callbacks.LambdaCallback(
                on_epoch_end=lambda epoch, logs: print(
                    f"epoch {epoch + 1}/{epochs}: loss {logs['loss']:.4f}, "
                    f"accuracy {logs['val_accuracy']:.4f}"
                )
            )
        ],
    )
    predicted = model.predict(test_x, verbose=0).argmax(axis=1)

    output = pathlib.Path(os.environ["KINETIC_OUTPUT_DIR"])
    model.save(output / "digits.keras")
    (output / "history.json").write_text(json.dumps(history.history, indent=2))
    return {
        "accuracy": float(np.mean(predicted == test_y)),
        "epochs": epochs,
        "confusion": confusion_matrix(test_y, predicted),
    }
